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

{{/* The volumes of a component. Takes root, component and configMap. */}}
{{- define "headrace.volumes" -}}
{{- $component := get .root.Values .component -}}
{{- $database := $component.databaseUrlKey | default "HEADRACE_DATABASE_URL" -}}
- name: config
  configMap: { name: {{ .configMap }} }
- name: secrets
  secret:
    secretName: {{ .root.Values.existingSecret }}
    defaultMode: 0440
    items:
      {{- range include "headrace.secretKeys" . | fromJsonArray }}
      - { key: {{ eq . "HEADRACE_DATABASE_URL" | ternary $database . }}, path: {{ . }} }
      {{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What the containers of all components share. Takes root and component. */}}
{{- define "headrace.container" -}}
{{- $values := .root.Values -}}
image: {{ include "headrace.image" .root }}
imagePullPolicy: {{ $values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: config, mountPath: /etc/headrace, readOnly: true }
  - { name: secrets, mountPath: /run/secrets/headrace, readOnly: true }
  {{- with $values.extraVolumeMounts }}{{ toYaml . | nindent 2 }}{{ end }}
env:
  - { name: HEADRACE_CONFIG, value: /etc/headrace/headrace.yaml }
  - { name: HEADRACE_API_HOST, value: 0.0.0.0 }
  - { name: HEADRACE_API_PORT, value: '8080' }
  - { name: HEADRACE_API_HEALTH_PORT, value: '9090' }
  - { name: HEADRACE_API_LINGER_SECONDS, value: {{ $values.api.lingerSeconds | quote }} }
  - { name: HEADRACE_API_DRAIN_SECONDS, value: {{ $values.api.drainSeconds | quote }} }
  - { name: HEADRACE_API_TRUSTED_PROXIES, value: {{ $values.api.trustedProxies | quote }} }
  - { name: HEADRACE_WORKER_HEALTH_PORT, value: '9091' }
  - { name: HEADRACE_CONSOLE_TRUSTED_PROXIES, value: {{ $values.console.trustedProxies | quote }} }
  {{- range include "headrace.secretKeys" . | fromJsonArray }}
  - { name: {{ . }}_FILE, value: /run/secrets/headrace/{{ . }} }
  {{- end }}
  {{- with $values.extraEnv }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
