// Spring AI 2 (https://docs.spring.io/spring-ai) with the dependencies spring-ai-openai and
// spring-ai-client-chat. In Spring Boot the same settings are spring.ai.openai.base-url,
// spring.ai.openai.api-key and spring.ai.openai.chat.model.
//
//   export HEADRACE_API_ROOT=http://127.0.0.1:8080/compat/v1 HEADRACE_API_KEY=…
//   export HEADRACE_MODEL=headrace/pebble
//   javac -parameters -cp 'lib/*' -d . SpringExample.java
//   java -cp 'lib/*:.' SpringExample stream 'Why is the sky blue?'
import org.springframework.ai.chat.client.AdvisorParams;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.tool.annotation.Tool;

public class SpringExample {
  record Person(String name, int age) {}

  static class Tools {
    @Tool(description = "Returns the weather of a city.")
    String weather(String city) {
      return "21 degrees in " + city;
    }
  }

  public static void main(String[] args) {
    var options = OpenAiChatOptions.builder()
        .baseUrl(System.getenv("HEADRACE_API_ROOT"))
        .apiKey(System.getenv("HEADRACE_API_KEY"))
        .model(System.getenv("HEADRACE_MODEL"))
        .build();
    var client = ChatClient.create(OpenAiChatModel.builder().options(options).build());
    var prompt = client.prompt(args[1]);
    switch (args[0]) {
      case "chat" -> System.out.println(prompt.call().content());
      case "stream" -> prompt.stream().content().doOnNext(System.out::print).blockLast();
      case "tools" -> System.out.println(prompt.tools(new Tools()).call().content());
      case "schema" -> System.out.println(
          prompt.advisors(AdvisorParams.ENABLE_NATIVE_STRUCTURED_OUTPUT)
              .call().entity(Person.class));
      default -> throw new IllegalArgumentException(args[0]);
    }
    // The connections of the HTTP client would keep the process for a minute.
    System.exit(0);
  }
}
