// Tries github.com/openai/openai-go.
package main

import (
	"context"
	"errors"

	"example/checks"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

var client = openai.NewClient(option.WithBaseURL(checks.Root), option.WithAPIKey(checks.Key))

func ask(prompt string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    checks.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	}
}

func complete(request openai.ChatCompletionNewParams) (openai.ChatCompletionMessage, error) {
	answer, err := client.Chat.Completions.New(context.Background(), request)
	if err != nil {
		return openai.ChatCompletionMessage{}, err
	}
	return answer.Choices[0].Message, nil
}

func chat() error {
	message, err := complete(ask(checks.Question))
	if err != nil {
		return err
	}
	return checks.Expect(checks.Answer, message.Content)
}

func stream() error {
	answer := client.Chat.Completions.NewStreaming(context.Background(), ask(checks.Question))
	whole := openai.ChatCompletionAccumulator{}
	for answer.Next() {
		if !whole.AddChunk(answer.Current()) {
			return errors.New("a chunk does not fit the ones before it")
		}
	}
	if err := answer.Err(); err != nil {
		return err
	}
	return checks.Expect(checks.Answer, whole.Choices[0].Message.Content)
}

func tools() error {
	request := ask(checks.UseTool)
	weather := openai.FunctionDefinitionParam{
		Name:        "weather",
		Description: openai.String("Returns the weather of a city."),
		Parameters:  checks.WeatherParameters,
	}
	request.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(weather)}
	message, err := complete(request)
	if err != nil {
		return err
	}
	request.Messages = append(request.Messages, message.ToParam())
	for _, call := range message.ToolCalls {
		result, err := checks.Weather(call.Function.Arguments)
		if err != nil {
			return err
		}
		request.Messages = append(request.Messages, openai.ToolMessage(result, call.ID))
	}
	message, err = complete(request)
	if err != nil {
		return err
	}
	return checks.Expect(checks.Result, message.Content)
}

func schema() error {
	request := ask(checks.Question)
	person := openai.ResponseFormatJSONSchemaJSONSchemaParam{
		Name:   "person",
		Schema: checks.PersonSchema,
		Strict: openai.Bool(true),
	}
	request.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
		OfJSONSchema: &openai.ResponseFormatJSONSchemaParam{JSONSchema: person},
	}
	message, err := complete(request)
	if err != nil {
		return err
	}
	return checks.Expect(checks.Json, message.Content)
}

func abort() error {
	answer := client.Chat.Completions.NewStreaming(context.Background(), ask(checks.Endless))
	for range checks.PiecesRead {
		if !answer.Next() {
			return answer.Err()
		}
	}
	return answer.Close()
}

func main() {
	checks.Serve(
		checks.Check{Name: "chat", Run: chat},
		checks.Check{Name: "stream", Run: stream},
		checks.Check{Name: "tools", Run: tools},
		checks.Check{Name: "schema", Run: schema},
		checks.Check{Name: "abort", Run: abort},
	)
}
