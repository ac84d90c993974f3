package io.palinode.orchestrator.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookRulesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://localhost/x",
        "http://127.0.0.1:6766/api/v1/rollbacks",
        "http://127.1/x",
        "http://2130706433/x",
        "http://[::1]/x",
        "http://[::ffff:10.0.0.1]/x",
        "http://10.1.2.3/x",
        "http://172.16.0.1/x",
        "http://192.168.1.1/x",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/x",
        "http://[fd00::1]/x",
        "http://[64:ff9b::a00:1]/x",
        "http://100.64.0.1/x",
        "http://0.0.0.0/x",
        "http://0.1.2.3/x",
        "http://224.0.0.1/x",
        "http://240.0.0.1/x",
        "http://255.255.255.255/x",
        "http://198.18.0.1/x",
        "http://192.0.0.170/x",
        "http://[2002:a00:1::1]/x",
        "http://[2001:0:a00:1::1]/x",
        "http://[::127.0.0.1]/x"
      })
  void aPrivateAddressIsRefused(String url) {
    assertThat(WebhookRules.PUBLIC.refusal(URI.create(url)))
        .contains("private address")
        .contains("--alert-allow");
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://192.0.2.1/x", "https://[2001:db8::1]/x", "http://100.128.0.1/x"})
  void aPublicAddressIsAllowed(String url) {
    assertThat(WebhookRules.PUBLIC.refusal(URI.create(url))).isNull();
  }

  @Test
  void aListAllowsItsHostsAlone() {
    WebhookRules rules =
        new WebhookRules(List.of("Hooks.example.org", "*.alerts.example", "10.0.0.7", "[fd00::1]"));
    for (String allowed :
        List.of(
            "https://hooks.example.org/x",
            "https://HOOKS.EXAMPLE.ORG:444/x",
            "https://a.alerts.example/x",
            "http://10.0.0.7:9093/api",
            "http://[fd00::1]/x")) {
      assertThat(rules.refusal(URI.create(allowed))).as(allowed).isNull();
    }
    for (String refused :
        List.of(
            "https://hooks.example.org.evil.example/x",
            "https://hooks.example.org@evil.example/x",
            "https://alerts.example/x",
            "https://xalerts.example/x",
            "http://10.0.0.8/x",
            "https://192.0.2.1/x")) {
      assertThat(rules.refusal(URI.create(refused)))
          .as(refused)
          .startsWith("webhooks may go to the hosts of --alert-allow only: host=");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "http://x", "a b", "x:80/", "*.*.x"})
  void whatIsNoHostIsRefused(String host) {
    assertThatThrownBy(() -> new WebhookRules(List.of(host)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + host + "'");
  }

  /** The value is what openssl prints for the same text and secret. */
  @Test
  void aSignatureIsTheHmacOfTimeUrlAndBody() {
    assertThat(
            Signature.of(
                URI.create("https://h.example/x"),
                "{\"a\":1}".getBytes(StandardCharsets.UTF_8),
                "secret",
                1_700_000_000))
        .isEqualTo(
            "t=1700000000,v1=eb8cf6217e3a9848bafdf8c848b1ed8d32ff0f2a9e620085001b35b4175d1a22");
  }
}
