package io.palinode.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The rules by Prometheus itself. Needs {@code promtool}; with -Pnightly only. */
@EnabledIfSystemProperty(named = "palinode.prometheus", matches = "true")
class PromtoolTest {
  @Test
  void eachRuleIsQuietAndThenFires() throws Exception {
    assertThat(promtool("test", "rules", "src/test/promtool/rules_test.yml"))
        .contains("SUCCESS")
        .doesNotContain("FAILED");
  }

  @Test
  void theConfigurationIsValid() throws Exception {
    assertThat(promtool("check", "config", "prometheus/prometheus.yml"))
        .contains("SUCCESS: prometheus/prometheus.yml is valid")
        .contains("24 rules found");
  }

  private static String promtool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .directory(Path.of("").toAbsolutePath().toFile())
            .redirectErrorStream(true)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out;
  }
}
