{{/* What the pods of all processes and of the migration share. */}}
{{- define "headrace.pod" -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- with .Values.runAsUser }}
  runAsUser: {{ int . }}
  runAsGroup: {{ int . }}
  fsGroup: {{ int . }}
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "headrace.volumes" -}}
- name: config
  configMap: { name: {{ .configMap }} }
- name: secrets
  secret: { secretName: {{ .root.Values.existingSecret }}, defaultMode: 0440 }
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "headrace.container" -}}
image: {{ include "headrace.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: config, mountPath: /etc/headrace, readOnly: true }
  - { name: secrets, mountPath: /run/secrets/headrace, readOnly: true }
  {{- with .Values.extraVolumeMounts }}{{ toYaml . | nindent 2 }}{{ end }}
env:
  - { name: HEADRACE_CONFIG, value: /etc/headrace/headrace.yaml }
  - { name: HEADRACE_API_HOST, value: 0.0.0.0 }
  - { name: HEADRACE_API_PORT, value: '8080' }
  - { name: HEADRACE_API_HEALTH_PORT, value: '9090' }
  - { name: HEADRACE_API_LINGER_SECONDS, value: {{ .Values.api.lingerSeconds | quote }} }
  - { name: HEADRACE_API_DRAIN_SECONDS, value: {{ .Values.api.drainSeconds | quote }} }
  - { name: HEADRACE_WORKER_HEALTH_PORT, value: '9091' }
  {{- range include "headrace.secretKeys" . | fromJsonArray }}
  - { name: {{ . }}_FILE, value: /run/secrets/headrace/{{ . }} }
  {{- end }}
  {{- with .Values.extraEnv }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
