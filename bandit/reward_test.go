package bandit

import (
	"fmt"
	"strings"
	"testing"
)

func TestARewardPrintsAsPrivate(t *testing.T) {
	for _, s := range []string{
		fmt.Sprint(Reward(.7310585)), fmt.Sprintf("%v %g %f %x %d", Reward(.7310585), Reward(.7310585), Reward(.7310585), Reward(.7310585), Reward(.7310585)),
		fmt.Sprintf("%+v", Pull{Reward: .7310585}),
	} {
		for _, leak := range []string{"73105", "3fe7"} {
			if strings.Contains(s, leak) {
				t.Errorf("%q", s)
			}
		}
	}
}
