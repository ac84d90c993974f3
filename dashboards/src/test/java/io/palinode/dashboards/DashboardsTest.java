package io.palinode.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The packaged files can be read, and name metrics that exist. */
class DashboardsTest {
  private static final String DASHBOARD = "grafana/palinode.json";
  private static final String RULES = "prometheus/rules.yml";
  private static final String CONSOLE = "{{ $externalLabels.palinode_url }}";
  private static final String FLINK = "prometheus/flink.yml";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Pattern METRIC = Pattern.compile("\\b(palinode|jvm|process|system)_[a-z_]+");
  private static final Pattern SERIES =
      Pattern.compile("\\b(?:palinode|jvm|process|system)_[a-z_]+(\\{[^}]*})?");
  private static final Pattern AGGREGATION =
      Pattern.compile("\\b(?:sum|max|min|avg|count|group) *(by \\([^)]*\\))? *\\(");
  private static final Pattern VARIABLE = Pattern.compile("=~\"\\$([a-z]+)\"");

  @ParameterizedTest
  @ValueSource(
      strings = {
        RULES,
        FLINK,
        "prometheus/prometheus.yml",
        "grafana/provisioning/datasources/palinode.yml",
        "grafana/provisioning/dashboards/palinode.yml"
      })
  void everyYamlFileIsAMapping(String file) {
    assertThat(yaml(file).isObject()).isTrue();
    assertThat(yaml(file).size()).isPositive();
  }

  @Test
  void everyPanelAndRuleReadsMetricsThatExist() {
    Set<String> samples = samples();
    for (String expression : expressions()) {
      List<String> names = metrics(expression);
      assertThat(names).as(expression).isNotEmpty();
      assertThat(samples).as(expression).containsAll(names);
    }
  }

  @Test
  void everyMetricOfTheListIsShownOrGuarded() {
    Set<String> read = new HashSet<>();
    expressions().forEach(expression -> read.addAll(metrics(expression)));
    listed()
        .forEach(
            (name, type) ->
                assertThat(read)
                    .as(name)
                    .containsAnyElementsOf(
                        switch (type) {
                          case "histogram" -> List.of(name + "_bucket", name + "_sum");
                          case "summary" -> List.of(name + "_sum");
                          default -> List.of(name);
                        }));
  }

  /** Else an operator cannot see the course of what fired. */
  @Test
  void everyMetricOfARuleIsInAPanel() {
    Set<String> shown = new HashSet<>();
    queries().forEach(query -> shown.addAll(metrics(query)));
    for (JsonNode rule : rules()) {
      assertThat(shown)
          .as(rule.get("alert").asText())
          .containsAll(metrics(rule.get("expr").asText()));
    }
  }

  /** A shorter range has fewer than two samples, and is then empty. */
  @Test
  void everyRangeHasTwoScrapes() {
    long scrapeSeconds = seconds(yaml("prometheus/prometheus.yml").at("/global/scrape_interval"));
    Pattern range = Pattern.compile("\\[([^]]+)]");
    for (String expression : expressions()) {
      for (MatchResult found : range.matcher(expression).results().toList()) {
        String length = found.group(1);
        assertThat(
                Set.of("$__rate_interval", "$__range").contains(length)
                    || seconds(TextNode.valueOf(length)) >= 2 * scrapeSeconds)
            .as(expression)
            .isTrue();
      }
    }
  }

  private static long seconds(JsonNode text) {
    assertThat(text.asText()).matches("[0-9]+[sm]");
    return Duration.parse("PT" + text.asText().toUpperCase(Locale.ROOT)).toSeconds();
  }

  /** A gauge of a moment is 0 at each scrape if rollbacks end between scrapes. */
  @Test
  void rollbacksAreShownByTheirCounterAndGapsUntilTheyAreAcknowledged() {
    Map<String, String> first = new TreeMap<>();
    for (JsonNode panel : dashboard().get("panels")) {
      first.put(panel.get("title").asText(), panel.path("targets").path(0).path("expr").asText());
    }
    assertThat(first.get("Rollbacks ended")).contains("increase(palinode_rollbacks_total{");
    assertThat(first.get("Coverage gaps")).startsWith("palinode_coverage_gaps{");
  }

  @Test
  void panelsHaveIdsOfTheirOwnAndDoNotOverlap() {
    Set<Integer> ids = new HashSet<>();
    Set<String> cells = new HashSet<>();
    for (JsonNode panel : dashboard().get("panels")) {
      assertThat(ids.add(panel.get("id").asInt())).as(panel.get("title").asText()).isTrue();
      JsonNode at = panel.get("gridPos");
      for (int x = at.get("x").asInt(); x < at.get("x").asInt() + at.get("w").asInt(); x++) {
        for (int y = at.get("y").asInt(); y < at.get("y").asInt() + at.get("h").asInt(); y++) {
          assertThat(cells.add(x + "," + y)).as(panel.get("title").asText()).isTrue();
        }
      }
    }
  }

  @Test
  void theDashboardReadsTheDataSourceThatIsProvisioned() {
    JsonNode source = yaml("grafana/provisioning/datasources/palinode.yml").get("datasources");
    JsonNode variable = dashboard().get("templating").get("list").get(0);
    assertThat(variable.get("current").get("value").asText())
        .isEqualTo(source.get(0).get("uid").asText());
  }

  /** Else panels are empty when the job runs on a separate Flink cluster. */
  @Test
  void whateverTheJobCountsIsRecordedFromFlinksNamesToo() {
    Set<String> recorded = new TreeSet<>();
    JsonNode rules = yaml(FLINK).get("groups").get(0).get("rules");
    for (JsonNode rule : rules) {
      assertThat(rule.get("expr").asText()).contains("flink_");
      recorded.add(rule.get("record").asText());
    }
    assertThat(recorded)
        .isEqualTo(
            listed().keySet().stream()
                .filter(name -> name.startsWith("palinode_job_"))
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Else a chosen cluster has empty panels, and a cluster hides the trouble of another one. */
  @Test
  void everyRuleKeepsTheCluster() {
    for (String file : List.of(RULES, FLINK)) {
      for (JsonNode rule : yaml(file).get("groups").get(0).get("rules")) {
        String expression = rule.get("expr").asText();
        assertThat(AGGREGATION.matcher(expression).results())
            .as(expression)
            .allMatch(found -> found.group(1) != null && found.group(1).contains("cluster"));
      }
    }
  }

  @Test
  void everyQueryOfTheDashboardFollowsItsVariables() {
    Set<String> names = new TreeSet<>();
    dashboard().at("/templating/list").forEach(one -> names.add(one.get("name").asText()));
    assertThat(names).contains("cluster", "node", "predicate");
    Set<String> used = new TreeSet<>();
    for (String expression : queries()) {
      for (MatchResult series : SERIES.matcher(expression).results().toList()) {
        assertThat(series.group(1)).as(expression).isNotNull().contains("cluster=~\"$cluster\"");
      }
      VARIABLE.matcher(expression).results().forEach(use -> used.add(use.group(1)));
    }
    assertThat(used).containsExactly("cluster", "node", "predicate");
  }

  @Test
  void everyRunbookIsAHeadingOfTheDocs() throws IOException {
    for (JsonNode rule : rules()) {
      String runbook = rule.get("annotations").get("runbook_url").asText();
      assertThat(runbook).startsWith(CONSOLE + "/docs/");
      String[] link = runbook.substring(CONSOLE.length() + 1).split("#", 2);
      Path page = Path.of("..").resolve(link[0]);
      assertThat(page).as(runbook).isRegularFile();
      assertThat(Files.readAllLines(page).stream().filter(line -> line.startsWith("##")))
          .as(runbook)
          .map(
              heading ->
                  heading.replaceFirst("#+ ", "").replaceAll("[^\\w -]", "").replace(' ', '-'))
          .map(anchor -> anchor.toLowerCase(Locale.ROOT))
          .contains(link[1]);
    }
  }

  @Test
  void theConfigurationsNameTheConsoleForRunbooks() throws IOException {
    for (Path file :
        List.of(
            Path.of("prometheus/prometheus.yml"),
            Path.of("../packaging/container/prometheus.yml"))) {
      assertThat(YAML.readTree(file.toFile()).at("/global/external_labels/palinode_url").asText())
          .as(file.toString())
          .startsWith("http://");
    }
  }

  @Test
  void everyRuleHasASeverityAndASummary() {
    Set<String> names = new HashSet<>();
    for (JsonNode rule : rules()) {
      assertThat(names.add(rule.get("alert").asText())).isTrue();
      assertThat(rule.get("labels").get("severity").asText()).isIn("warning", "critical");
      assertThat(rule.get("annotations").get("summary").asText()).isNotBlank();
    }
    assertThat(names)
        .contains(
            "PalinodeViolation",
            "PalinodeSafePointStuck",
            "PalinodeJudgementWaits",
            "PalinodeCoverageLost");
  }

  @Test
  void theAlertOfTheServerOfRunbooksNamesTheFirstCommand() {
    assertThat(rules())
        .filteredOn(rule -> rule.get("alert").asText().equals("PalinodeDown"))
        .singleElement()
        .satisfies(
            rule ->
                assertThat(rule.at("/annotations/summary").asText())
                    .contains("'palinode run orchestrator'"));
  }

  @Test
  void thePrometheusConfigurationReadsTheRules() {
    assertThat(yaml("prometheus/prometheus.yml").get("rule_files").get(0).asText())
        .isEqualTo("rules.yml");
  }

  private static List<String> expressions() {
    List<String> expressions = new ArrayList<>(queries());
    rules().forEach(rule -> expressions.add(rule.get("expr").asText()));
    return expressions;
  }

  /** Those of the dashboard. */
  private static List<String> queries() {
    List<String> expressions = new ArrayList<>();
    for (JsonNode panel : dashboard().get("panels")) {
      panel.path("targets").forEach(target -> expressions.add(target.get("expr").asText()));
    }
    dashboard()
        .get("annotations")
        .get("list")
        .forEach(annotation -> expressions.add(annotation.get("expr").asText()));
    return expressions;
  }

  private static List<String> metrics(String expression) {
    List<String> names = new ArrayList<>();
    Matcher matcher = METRIC.matcher(expression);
    while (matcher.find()) {
      names.add(matcher.group());
    }
    return names;
  }

  /** The names that a scrape has for the metrics of the list. */
  private static Set<String> samples() {
    Set<String> samples = new TreeSet<>();
    listed()
        .forEach(
            (name, type) -> {
              if (type.equals("histogram")) {
                samples.addAll(List.of(name + "_bucket", name + "_count", name + "_sum"));
              } else if (type.equals("summary")) {
                samples.addAll(List.of(name + "_count", name + "_sum"));
              } else {
                samples.add(name);
              }
            });
    return samples;
  }

  /** The type of each metric. */
  private static Map<String, String> listed() {
    Map<String, String> listed = new TreeMap<>();
    for (String line : text("metrics.txt").lines().filter(l -> !l.startsWith("#")).toList()) {
      List<String> words = List.of(line.split(" ", -1));
      assertThat(words).as(line).hasSize(3);
      assertThat(words.get(2)).as(line).isIn("counter", "gauge", "histogram", "summary");
      assertThat(listed.put(words.get(1), words.get(2))).as(line).isNull();
    }
    return listed;
  }

  private static JsonNode rules() {
    return yaml(RULES).get("groups").get(0).get("rules");
  }

  private static JsonNode dashboard() {
    return parse(JSON, DASHBOARD);
  }

  private static JsonNode yaml(String file) {
    return parse(YAML, file);
  }

  private static JsonNode parse(ObjectMapper mapper, String file) {
    try {
      return mapper.readTree(text(file));
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }

  private static String text(String file) {
    try (InputStream in =
        DashboardsTest.class.getResourceAsStream("/palinode/dashboards/" + file)) {
      assertThat(in).as("packaged: " + file).isNotNull();
      return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }
}
