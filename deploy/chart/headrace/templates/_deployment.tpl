{{/*
A Deployment with its PodDisruptionBudget. Takes root, component (also the command), ports by name
and graceSeconds.
*/}}
{{- define "headrace.deployment" -}}
{{- $root := .root -}}
{{- $name := include "headrace.name" $root -}}
{{- $values := get $root.Values .component -}}
{{- $autoscaled := and (eq .component "api") $root.Values.api.autoscaling.enabled -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}-{{ .component }}
  labels: {{- include "headrace.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not $autoscaled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  # A new pod is ready before an old one is stopped.
  strategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  selector:
    matchLabels: {{- include "headrace.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels: {{- include "headrace.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
      annotations:
        kubectl.kubernetes.io/default-container: {{ .component }}
        {{- if not $root.Values.existingConfigMap }}
        checksum/config: {{ toYaml $root.Values.config | sha256sum }}
        {{- end }}
        {{- with $root.Values.podAnnotations }}{{ toYaml . | nindent 8 }}{{ end }}
    spec:
      serviceAccountName: {{ $name }}
      automountServiceAccountToken: {{ and (eq .component "api") (gt (len $root.Values.discovery.namespaces) 0) }}
      terminationGracePeriodSeconds: {{ .graceSeconds }}
      {{- include "headrace.pod" $root | nindent 6 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          # Pods of the release that is being replaced do not count.
          matchLabelKeys: [pod-template-hash]
          labelSelector:
            matchLabels: {{- include "headrace.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .component }}
      containers:
        - name: {{ .component }}
          args: [{{ .component }}]
          ports:
            {{- range $port, $number := .ports }}
            - { name: {{ $port }}, containerPort: {{ $number }} }
            {{- end }}
          startupProbe:
            httpGet: { path: /healthz, port: health }
            periodSeconds: 1
            failureThreshold: 180
          # Patient: on a node without spare CPU all pods would become unready at once. A pod that
          # stops leaves its Service without a probe.
          readinessProbe:
            httpGet: { path: /readyz, port: health }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 6
          livenessProbe:
            httpGet: { path: /healthz, port: health }
            periodSeconds: 10
            timeoutSeconds: 10
            failureThreshold: 6
          resources: {{- toYaml $values.resources | nindent 12 }}
          {{- include "headrace.container" . | nindent 10 }}
      {{- $configMap := $root.Values.existingConfigMap | default $name }}
      volumes:
        {{- $of := dict "root" $root "component" .component "configMap" $configMap }}
        {{- include "headrace.volumes" $of | nindent 8 }}
{{- if $root.Values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}-{{ .component }}
  labels: {{- include "headrace.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  maxUnavailable: {{ $root.Values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "headrace.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
{{- end }}
{{- end }}

{{/* A Service of a component's port `http`. Takes root, name and component. */}}
{{- define "headrace.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  labels: {{- include "headrace.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- with .root.Values.service.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  selector: {{- include "headrace.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  ports:
    - name: http
      port: {{ .root.Values.service.port }}
      targetPort: http
      appProtocol: http
{{- end }}

{{/* A route to a Service. Takes root, name and route. Streams have no timeout: 0s is none. */}}
{{- define "headrace.httpRoute" -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: {{ .name }}
  labels: {{- include "headrace.labels" .root | nindent 4 }}
spec:
  parentRefs: {{- toYaml .route.parentRefs | nindent 4 }}
  {{- with .route.hostnames }}
  hostnames: {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - matches: [{ path: { type: PathPrefix, value: {{ .route.pathPrefix }} } }]
      backendRefs: [{ name: {{ .name }}, port: {{ .root.Values.service.port }} }]
      timeouts: { request: 0s, backendRequest: 0s }
{{- end }}
