// Package checks has what the programs share: the settings, and the loop over the checks.
package checks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

var (
	Root  = os.Getenv("HEADRACE_API_ROOT")
	Key   = os.Getenv("HEADRACE_API_KEY")
	Model = os.Getenv("HEADRACE_MODEL")
)

const (
	Question = "What is two plus two?"
	Answer   = "Four, says the engine."
	Endless  = "TALK-WITHOUT-END"
	UseTool  = `USETOOL=weather ARGS={"city":"Oslo"}`
	Result   = "The tool says: 21 degrees in Oslo"
	Json     = `{"name":"example","age":1}`
	// Pieces of an endless stream that are read before it is closed.
	PiecesRead = 5
)

// WeatherParameters is the schema of the tool's arguments.
var WeatherParameters = map[string]any{
	"type":       "object",
	"properties": map[string]any{"city": map[string]any{"type": "string"}},
	"required":   []string{"city"},
}

// PersonSchema has members in the order of Json.
var PersonSchema = json.RawMessage(`{
	"type": "object",
	"properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
	"required": ["name", "age"],
	"additionalProperties": false
}`)

// Weather is the tool.
func Weather(arguments string) (string, error) {
	var given struct{ City string }
	err := json.Unmarshal([]byte(arguments), &given)
	return fmt.Sprintf("21 degrees in %s", given.City), err
}

func Expect(wanted string, seen string) error {
	if seen != wanted {
		return fmt.Errorf("got %q", seen)
	}
	return nil
}

type Check struct {
	Name string
	Run  func() error
}

// Serve runs the checks whose names come from standard input.
func Serve(checks ...Check) {
	names := []string{}
	byName := map[string]func() error{}
	for _, check := range checks {
		names = append(names, check.Name)
		byName[check.Name] = check.Run
	}
	report(map[string]any{"checks": names})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var reason any
		if err := byName[lines.Text()](); err != nil {
			reason = err.Error()
		}
		report(map[string]any{"check": lines.Text(), "error": reason})
	}
}

func report(values map[string]any) {
	text, _ := json.Marshal(values)
	fmt.Printf("@%s\n", text)
}
