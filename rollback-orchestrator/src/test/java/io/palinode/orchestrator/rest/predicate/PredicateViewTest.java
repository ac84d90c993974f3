package io.palinode.orchestrator.rest.predicate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PredicateViewTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          alert: [webhook:https://h.example:1/a/b?c=d] | alert: [webhook:https://h.example:1/hidden]
          - webhook:http://u:p@h.example               | - webhook:http://h.example/hidden
          - "webhook:https://h.example?key=1"          | - "webhook:https://h.example/hidden"
          [webhook:http://a/x, webhook:http://b/y]     | [webhook:http://a/hidden, webhook:http://b/hidden]
          alert: [console]                             | alert: [console]
          """)
  void aViewWithoutSecretsHasNoPathOfAWebhook(String yaml, String shown) {
    PredicateView view = new PredicateView("p", 1, true, Map.of(), null, yaml, List.of());
    assertThat(view.withoutSecrets().yaml()).isEqualTo(shown);
  }
}
