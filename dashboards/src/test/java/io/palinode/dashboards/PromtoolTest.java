package io.palinode.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

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
        .contains(rules() + " rules found");
  }

  /** The files lie in one folder there. */
  @Test
  void theConfigurationOfTheContainersIsValid(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("prometheus.yml");
    Files.copy(Path.of("../packaging/container/prometheus.yml"), file);
    for (String rules : List.of("rules.yml", "flink.yml")) {
      Files.copy(Path.of("prometheus", rules), folder.resolve(rules));
    }
    assertThat(promtool("check", "config", file.toString()))
        .contains("SUCCESS: " + file + " is valid")
        .contains(rules() + " rules found");
  }

  @Test
  void theScrapeOfASecuredClusterInTheDocsIsValid(@TempDir Path folder) throws Exception {
    String page = Files.readString(Path.of("../docs/how-to/monitor-palinode.md"));
    Matcher block = Pattern.compile("(?s)```yaml\n(.*?)```").matcher(page);
    assertThat(block.find()).isTrue();
    Path file = folder.resolve("prometheus.yml");
    Files.writeString(file, block.group(1).replace("/etc/prometheus", folder.toString()));
    Files.writeString(folder.resolve("prometheus.token"), "token");
    Files.writeString(folder.resolve("ca.pem"), "");
    assertThat(promtool("check", "config", file.toString())).contains("is valid");
  }

  private static long rules() throws Exception {
    try (Stream<String> lines = Files.lines(Path.of("prometheus/rules.yml"))) {
      return lines.filter(line -> line.strip().startsWith("- alert:")).count();
    }
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
