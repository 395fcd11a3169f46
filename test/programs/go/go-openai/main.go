// Tries github.com/sashabaranov/go-openai.
package main

import (
	"context"
	"errors"
	"io"

	"example/checks"
	"github.com/sashabaranov/go-openai"
)

var client = newClient()

func newClient() *openai.Client {
	config := openai.DefaultConfig(checks.Key)
	config.BaseURL = checks.Root
	return openai.NewClientWithConfig(config)
}

func ask(prompt string) openai.ChatCompletionRequest {
	user := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: prompt}
	return openai.ChatCompletionRequest{
		Model:    checks.Model,
		Messages: []openai.ChatCompletionMessage{user},
	}
}

func complete(request openai.ChatCompletionRequest) (openai.ChatCompletionMessage, error) {
	answer, err := client.CreateChatCompletion(context.Background(), request)
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
	answer, err := client.CreateChatCompletionStream(context.Background(), ask(checks.Question))
	if err != nil {
		return err
	}
	defer answer.Close()
	text := ""
	for {
		chunk, err := answer.Recv()
		if errors.Is(err, io.EOF) {
			return checks.Expect(checks.Answer, text)
		}
		if err != nil {
			return err
		}
		for _, choice := range chunk.Choices {
			text += choice.Delta.Content
		}
	}
}

func tools() error {
	request := ask(checks.UseTool)
	request.Tools = []openai.Tool{{
		Type: openai.ToolTypeFunction,
		Function: &openai.FunctionDefinition{
			Name:        "weather",
			Description: "Returns the weather of a city.",
			Parameters:  checks.WeatherParameters,
		},
	}}
	message, err := complete(request)
	if err != nil {
		return err
	}
	request.Messages = append(request.Messages, message)
	for _, call := range message.ToolCalls {
		result, err := checks.Weather(call.Function.Arguments)
		if err != nil {
			return err
		}
		request.Messages = append(request.Messages, openai.ChatCompletionMessage{
			Role:       openai.ChatMessageRoleTool,
			Content:    result,
			ToolCallID: call.ID,
		})
	}
	message, err = complete(request)
	if err != nil {
		return err
	}
	return checks.Expect(checks.Result, message.Content)
}

func schema() error {
	request := ask(checks.Question)
	request.ResponseFormat = &openai.ChatCompletionResponseFormat{
		Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
			Name:   "person",
			Schema: checks.PersonSchema,
			Strict: true,
		},
	}
	message, err := complete(request)
	if err != nil {
		return err
	}
	return checks.Expect(checks.Json, message.Content)
}

func abort() error {
	answer, err := client.CreateChatCompletionStream(context.Background(), ask(checks.Endless))
	if err != nil {
		return err
	}
	for range checks.PiecesRead {
		if _, err := answer.Recv(); err != nil {
			return err
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
