package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.palinode.orchestrator.Alert;
import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each runbook of an alert is a page that the orchestrator serves, and a heading of the page. */
class RunbooksTest extends RestFixture {
  private static final String RULES = "/palinode/dashboards/prometheus/rules.yml";
  private static final String CONSOLE = "{{ $externalLabels.palinode_url }}";

  @ParameterizedTest
  @EnumSource(Alert.Kind.class)
  void theRunbookOfEachAlertIsServed(Alert.Kind kind) throws Exception {
    assertServed("/docs/" + kind.runbook());
  }

  @Test
  void theRunbookOfEachRuleIsServed() throws Exception {
    try (InputStream rules = RunbooksTest.class.getResourceAsStream(RULES)) {
      JsonNode all = new ObjectMapper(new YAMLFactory()).readTree(rules).at("/groups/0/rules");
      assertThat(all).hasSizeGreaterThan(20);
      for (JsonNode rule : all) {
        assertServed(rule.at("/annotations/runbook_url").asText().replace(CONSOLE, ""));
      }
    }
  }

  private void assertServed(String runbook) throws Exception {
    String[] link = runbook.split("#", 2);
    var page = send("GET", link[0], "");
    assertThat(page.statusCode()).as(runbook).isEqualTo(200);
    assertThat(page.body()).as(runbook).contains(" id=\"" + link[1] + "\"");
  }
}
