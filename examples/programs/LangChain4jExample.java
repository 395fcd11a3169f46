// LangChain4j (https://docs.langchain4j.dev) with the dependencies langchain4j and
// langchain4j-open-ai:
//
//   export HEADRACE_API_ROOT=http://127.0.0.1:8080/compat/v1 HEADRACE_API_KEY=…
//   export HEADRACE_MODEL=headrace/pebble
//   javac -parameters -cp 'lib/*' -d . LangChain4jExample.java
//   java -cp 'lib/*:.' LangChain4jExample stream 'Why is the sky blue?'
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.service.AiServices;
import java.util.concurrent.CompletableFuture;

public class LangChain4jExample {
  static final String ROOT = System.getenv("HEADRACE_API_ROOT");
  static final String KEY = System.getenv("HEADRACE_API_KEY");
  static final String MODEL = System.getenv("HEADRACE_MODEL");

  record Person(String name, int age) {}

  interface Extractor {
    Person extract(String text);
  }

  interface Assistant {
    String chat(String message);
  }

  static class Tools {
    @Tool("Returns the weather of a city.")
    String weather(String city) {
      return "21 degrees in " + city;
    }
  }

  static void stream(String prompt) {
    var done = new CompletableFuture<ChatResponse>();
    var model =
        OpenAiStreamingChatModel.builder().baseUrl(ROOT).apiKey(KEY).modelName(MODEL).build();
    model.chat(prompt, new StreamingChatResponseHandler() {
      public void onPartialResponse(String text) {
        System.out.print(text);
      }

      public void onCompleteResponse(ChatResponse response) {
        done.complete(response);
      }

      public void onError(Throwable error) {
        done.completeExceptionally(error);
      }
    });
    done.join();
  }

  public static void main(String[] args) {
    var model = OpenAiChatModel.builder().baseUrl(ROOT).apiKey(KEY).modelName(MODEL)
        .supportedCapabilities(Capability.RESPONSE_FORMAT_JSON_SCHEMA).strictJsonSchema(true)
        .build();
    switch (args[0]) {
      case "chat" -> System.out.println(model.chat(args[1]));
      case "stream" -> stream(args[1]);
      case "tools" -> System.out.println(
          AiServices.builder(Assistant.class).chatModel(model).tools(new Tools()).build()
              .chat(args[1]));
      case "schema" -> System.out.println(
          AiServices.create(Extractor.class, model).extract(args[1]));
      default -> throw new IllegalArgumentException(args[0]);
    }
  }
}
