package io.palinode.dashboards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The files of packaging fit together. No container is run here, and no unit is started. */
class ContainerFilesTest {
  private static final Path FOLDER = Path.of("../packaging/container");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  /** Is made for the archive; in a clone it has another name. */
  private static final String JOB = "../../flink/palinode-job.jar";

  @Test
  void eachMountedFileAndVolumeExists() throws IOException {
    JsonNode compose = compose("compose.yaml");
    List<String> files = new ArrayList<>();
    for (JsonNode service : services(compose, compose("flink.yaml"))) {
      for (JsonNode volume : service.path("volumes")) {
        String source = volume.asText().split(":", -1)[0];
        if (source.startsWith(".")) {
          files.add(source);
        } else {
          assertThat(compose.get("volumes").has(source)).as(source).isTrue();
        }
      }
    }
    assertThat(files).contains(JOB).hasSizeGreaterThan(9);
    assertThat(files)
        .filteredOn(file -> !file.equals(JOB))
        .allMatch(file -> Files.isRegularFile(FOLDER.resolve(file)));
  }

  @Test
  void eachTargetOfPrometheusServesItsMetricsToOthers() throws IOException {
    JsonNode services = services(compose("compose.yaml"));
    JsonNode prometheus = yaml("prometheus.yml");
    JsonNode targets = prometheus.at("/scrape_configs/0/static_configs/0/targets");
    assertThat(targets).hasSize(5);
    for (JsonNode target : targets) {
      String[] address = target.asText().split(":", -1);
      String command = services.get(address[0]).path("command").asText();
      if (address[0].equals("orchestrator")) {
        assertThat(command).contains("--host 0.0.0.0");
        assertThat(address[1]).isEqualTo("6766");
      } else {
        assertThat(command).contains("--metrics-host 0.0.0.0 --metrics-port " + address[1]);
      }
    }
    JsonNode flink = compose("flink.yaml");
    assertThat(prometheus.at("/scrape_configs/1/dns_sd_configs/0/names"))
        .extracting(JsonNode::asText)
        .allMatch(name -> services(flink).has(name));
    assertThat(prometheus.get("rule_files"))
        .extracting(file -> "/etc/prometheus/" + file.asText())
        .allMatch(file -> isMounted(services.get("prometheus"), file));
  }

  /** The address that the container has inside is of no use in an alert. */
  @Test
  void linksInAlertsHaveAnAddressOutsideTheContainer() throws IOException {
    JsonNode orchestrator = services(compose("compose.yaml")).get("orchestrator");
    String published = orchestrator.at("/ports/0").asText().replaceFirst(":[0-9]+$", "");
    assertThat(orchestrator.get("command").asText())
        .contains("--external-url http://" + published + " ");
    assertThat(Files.readString(FOLDER.resolve("../kubernetes/palinode.yaml")))
        .contains("--external-url=http://127.0.0.1:6766,");
  }

  @Test
  void grafanaFindsPrometheusAndTheDashboard() throws IOException {
    JsonNode services = services(compose("compose.yaml"));
    JsonNode grafana = services.get("grafana");
    JsonNode source = yaml("datasource.yml").at("/datasources/0");
    JsonNode own =
        YAML.readTree(Path.of("grafana/provisioning/datasources/palinode.yml").toFile())
            .at("/datasources/0");
    assertThat(source.get("uid")).isEqualTo(own.get("uid"));
    assertThat(source.get("url").asText()).isEqualTo("http://prometheus:9090");
    assertThat(services.get("prometheus").at("/ports/0").asText()).endsWith(":9090");
    String provider = "/etc/grafana/provisioning/dashboards/palinode.yml";
    assertThat(isMounted(grafana, provider)).isTrue();
    String folder = grafana.at("/environment/PALINODE_GRAFANA").asText();
    assertThat(isMounted(grafana, folder + "/palinode.json")).isTrue();
  }

  @Test
  void flinkReplacesTheOtherJob() throws IOException {
    JsonNode added = services(compose("flink.yaml"));
    assertThat(added.get("detection").get("profiles")).hasSize(1);
    assertThat(added.get("jobmanager").get("command").asText())
        .contains("--job-classname io.palinode.monitor.flink.job.DetectionJob");
  }

  /** Of an unknown or misplaced setting, systemd prints a line and ignores it. */
  @Test
  void systemdAcceptsTheUnit(@TempDir Path folder) throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/systemd-analyze")),
        "no systemd-analyze: Debian's systemd");
    String unit = Files.readString(FOLDER.resolve("../systemd/palinode@.service"));
    Path file = folder.resolve("palinode@.service");
    String command = "ExecStart=/opt/palinode/palinode run";
    assertThat(unit).contains(command);
    Files.writeString(file, unit.replace(command, "ExecStart=/bin/true run"));
    Process verify =
        new ProcessBuilder("systemd-analyze", "verify", "--man=no", file.toString())
            .redirectErrorStream(true)
            .start();
    assertThat(new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEmpty();
    assertThat(verify.waitFor()).isZero();
  }

  private static boolean isMounted(JsonNode service, String path) {
    for (JsonNode volume : service.get("volumes")) {
      if (volume.asText().endsWith(":" + path + ":ro")) {
        return true;
      }
    }
    return false;
  }

  private static JsonNode services(JsonNode... files) {
    ObjectNode services = JSON.createObjectNode();
    for (JsonNode file : files) {
      file.get("services").properties().forEach(one -> services.set(one.getKey(), one.getValue()));
    }
    return services;
  }

  private static JsonNode yaml(String file) throws IOException {
    return YAML.readTree(FOLDER.resolve(file).toFile());
  }

  /** With its anchors replaced, which Jackson does not do. */
  private static JsonNode compose(String file) throws IOException {
    Object loaded = new Yaml().load(Files.readString(FOLDER.resolve(file)));
    return JSON.valueToTree(loaded);
  }
}
