package explain

import (
	_ "embed"
	"slices"
	"strings"
	"text/template"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
)

// assessment has a title or an item in each line.
//
//go:embed assessment.txt
var assessment string

// writeAssessment has what an assessment of the impact on data protection asks for. It is for sites with an application,
// since other rewards belong to no one.
func (d *Document) writeAssessment(p *sections, s *config.Settings) {
	if d.World != config.Application {
		return
	}
	upper := func(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
	low, high := s.API.Range().Ends()
	var text strings.Builder
	err := template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join, "upper": upper, "duration": config.DurationText}).Parse(assessment)).Execute(&text, struct {
		*Document
		Settings   *config.Settings
		Low, High  float64
		ByFeatures bool
		Features   []string
		Blank      string
	}{d, s, low, high, bandit.TraitsOf(s.LearnerParams()).Contextual, slices.Concat(s.Features.Context, s.Features.Action), blank})
	if err != nil {
		panic(err) // the file does not fit the fields above, which tests find
	}
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "# "); ok {
			p.title(title)
		} else {
			p.item("%s", strings.TrimPrefix(line, "- "))
		}
	}
}
