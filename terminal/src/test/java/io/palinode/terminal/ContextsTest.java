package io.palinode.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextsTest {
  private static final Context PROD =
      new Context("https://p:1", List.of("tls://p:2"), "ca.pem", null, null, "token");

  @TempDir Path folder;
  private Path file = Path.of("");

  @BeforeEach
  void name() {
    file = folder.resolve("new").resolve("config.json");
  }

  @Test
  void aFileKeepsContexts() {
    Contexts none = Contexts.read(file);
    assertThat(none.contexts()).isEmpty();
    Contexts two = none.with("prod", PROD).with("test", Context.NONE).using("prod");
    two.write(file);
    assertThat(Contexts.read(file)).isEqualTo(two);
    two.without("prod").write(file);
    assertThat(Contexts.read(file)).isEqualTo(new Contexts(null, Map.of("test", Context.NONE)));
  }

  @Test
  void anUnknownContextAndAnUnreadableFileAreRefused() throws IOException {
    assertThatThrownBy(() -> Contexts.read(file).get("prod", file))
        .isInstanceOf(Refusal.class)
        .hasMessage(
            "there is no context 'prod' in " + file + ": see 'palinode config get-contexts'");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "{\"contexts\": {\"prod\": {\"sever\": \"https://p:1\"}}}");
    assertThatThrownBy(() -> Contexts.read(file))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("sever");
  }

  @Test
  void aTokenLeavesThisMachineWithTlsAlone() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "secret\n");
    Credentials credentials = new Credentials(null, null, null, token.toString());
    assertThat(credentials.token("https://example.org:1")).isEqualTo("secret");
    assertThat(credentials.token("http://127.0.0.1:1")).isEqualTo("secret");
    assertThat(credentials.token("http://localhost:1")).isEqualTo("secret");
    for (String server : List.of("http://192.0.2.1:1", "http://127.0.0.1@192.0.2.1:1", "ftp://x")) {
      assertThatThrownBy(() -> credentials.token(server))
          .as(server)
          .isInstanceOf(Refusal.class)
          .hasMessageContaining("without TLS: use https");
    }
    Path two = Files.writeString(folder.resolve("two"), "a\nb\n");
    assertThatThrownBy(() -> withToken(two.toString()).token("https://p"))
        .hasMessage("the file " + two + " must have one line, a token");
    assertThat(withToken(null).token("http://192.0.2.1:1")).isNull();
    assertThatThrownBy(() -> withToken(folder.resolve("absent").toString()).token("https://p"))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("cannot read the token in");
  }

  private static Credentials withToken(@Nullable String file) {
    return new Credentials(null, null, null, file);
  }
}
