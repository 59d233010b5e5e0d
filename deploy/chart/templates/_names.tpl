{{- define "peerd.labels" -}}
app.kubernetes.io/name: peerd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "peerd.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag }}{{ end }}
{{- end }}
{{- define "peerd.announce" -}}
{{ required "announce: want the address at which other sites dial this one, such as /dns4/hospital-b.example/tcp/8471" .Values.announce | quote }}
{{- end }}
{{- /* What every container of the program has. */ -}}
{{- define "peerd.container" -}}
image: {{ include "peerd.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- end }}
