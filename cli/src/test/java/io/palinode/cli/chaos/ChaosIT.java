package io.palinode.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.chaos.ChaosCluster;
import io.palinode.chaos.ChaosReport;
import io.palinode.chaos.ChaosRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each part of a cluster in its own process. */
class ChaosIT {
  private static final int PORT_BASE = 17_900;
  private static final Duration DURATION =
      Duration.ofSeconds(Integer.getInteger("palinode.chaos.seconds", 20));

  @TempDir Path folder;

  @Test
  void aClusterWhosePartsAreKilledKeepsWhatItMust() throws Exception {
    List<String> lines = new ArrayList<>();
    try (ChaosCluster cluster = new ChaosCluster(folder, 3, PORT_BASE)) {
      ChaosRun run = new ChaosRun(cluster, 2, DURATION, Duration.ofSeconds(8), 7, lines::add);
      ChaosReport report = run.run(() -> false);
      assertThat(report.faults()).as(() -> lines + "\n" + report.table() + logs()).isEmpty();
      assertThat(report.writes().acknowledged()).isPositive();
      assertThat(report.foreignWrites().acknowledged()).isPositive();
      assertThat(report.strikes().kills().size() + report.strikes().freezes().size()).isPositive();
    }
  }

  /** The folder is gone when somebody looks. */
  private String logs() {
    StringBuilder logs = new StringBuilder();
    try (var files = Files.list(folder)) {
      for (Path log : files.filter(path -> path.toString().endsWith(".log")).toList()) {
        logs.append("== ").append(log).append('\n').append(Files.readString(log));
      }
    } catch (java.io.IOException e) {
      logs.append(e);
    }
    return logs.toString();
  }
}
