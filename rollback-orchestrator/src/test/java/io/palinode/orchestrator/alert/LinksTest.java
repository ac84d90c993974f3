package io.palinode.orchestrator.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.orchestrator.Alert;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinksTest {
  private static final Alert VIOLATION =
      Alert.toOperator(Alert.Kind.VIOLATION, Map.of("violation", "5d1f"), "", 1);
  private static final Alert HALTED = Alert.toOperator(Alert.Kind.PLAN_HALTED, Map.of(), "", 1);

  @Test
  void aViolationHasThePermalinkOfTheConsole() {
    Links links = links(null, "http://127.0.0.1:6766");
    assertThat(links.of(VIOLATION)).isEqualTo("http://127.0.0.1:6766/#/violations/5d1f");
    assertThat(links.of(HALTED)).isEqualTo("http://127.0.0.1:6766/");
    assertThat(links(null, "").of(VIOLATION)).isEmpty();
  }

  @Test
  void theAddressOfTheOperatorsReplacesThatOfTheApi() {
    AlertSettings settings = AlertSettings.DEFAULT.withExternalUrl("https://ops.example/palinode/");
    Links links = links(settings.externalUrl(), "http://0.0.0.0:6766");
    assertThat(links.of(VIOLATION)).isEqualTo("https://ops.example/palinode/#/violations/5d1f");
    assertThat(links.base()).isEqualTo("https://ops.example/palinode");
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://0.0.0.0:6766", "https://[::]:6766"})
  void anApiOnAllAddressesIsNamedByItsMachine(String api) {
    assertThat(links(null, api).base()).isEqualTo("https://machine:6766");
    assertThat(URI.create("http://" + Links.machine()).getHost()).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ops.example", "ftp://h", "http:///x", "http://u@h", "http://h/?q", "http://h/#/"})
  void anAddressThatLinksCannotBeginWithIsRefused(String url) {
    assertThatThrownBy(() -> AlertSettings.DEFAULT.withExternalUrl(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("without user, query and fragment: " + url);
  }

  private static Links links(@Nullable String external, String api) {
    return Links.of(external, api, () -> "machine");
  }
}
