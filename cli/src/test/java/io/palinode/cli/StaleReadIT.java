package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.NODES;
import static io.palinode.cli.RealParts.STORE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.detection.witness.WitnessCheck;
import io.palinode.detection.witness.WitnessFormatException;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole way with R = W = 1: nodes, Kafka, the job and the orchestrator. */
class StaleReadIT {
  private static final Path EXAMPLE = Path.of("../examples/balances/no-stale-read.yaml");
  private static final String KEY = "balance_7";

  @TempDir private Path folder;

  @Test
  void readsOfWhatTheSessionHadSupersededAreReported() throws IOException {
    HeldLinks links = new HeldLinks();
    try (RealParts parts = RealParts.start(folder);
        StoreClient annsClient =
            StoreClient.connect(
                ClientConfig.of(parts.cluster().addresses(), "ann")
                    .withStaleReads(100)
                    .withLinks(links)
                    .withRequestTimeout(Duration.ofSeconds(2)));
        StoreClient silentClient = parts.client("silent")) {
      Store ann = annsClient.store(STORE);
      parts.plane().apply(Predicates.parse(Files.readString(EXAMPLE), EXAMPLE.toString()));
      ann.put(KEY, "100");
      parts.awaitEverywhere(KEY, "100");
      int first = new Ring(annsClient.cluster(), NODES).preferenceList(KEY.getBytes(UTF_8)).get(0);
      assertThat(ann.get(KEY)).isEqualTo("100");
      assertThat(annsClient.metrics().staleReads()).isZero();

      links.hold(first);
      ann.put(KEY, "150");
      await().atMost(BOUND).until(() -> annsClient.metrics().copiesFailed() > 0);
      links.release(first);
      assertThat(ann.get(KEY)).as("its first replica lacks the write").isEqualTo("100");
      assertThat(silentClient.store(STORE).get(KEY)).isEqualTo("100");
      Violation stale = violations(parts, 1).get(0).violation();
      assertThat(stale.getClause()).isZero();
      assertThat(stale.getBinding()).isEqualTo("a=7");
      assertThat(stale.getGrade()).isEqualTo(ViolationGrade.DEFINITE);
      assertThat(stale.getWitnesses(0).getNode()).isEqualTo(first);
      assertThat(stale.getWitnesses(0).getWriter()).isEqualTo("ann");
      assertThat(roles(stale)).containsExactly(VersionRole.HOLDS, VersionRole.WRITTEN);
      assertThat(stale.getWitnesses(0).getValues(0).getValue().toStringUtf8()).isEqualTo("100");
      assertChecks(parts, stale.getId(), "written");
      assertThat(parts.palinode("describe", "violation", stale.getId())).isZero();
      assertThat(parts.out()).contains("later, written before");

      links.hold(first);
      assertThat(ann.get(KEY)).as("from another replica").isEqualTo("150");
      links.release(first);
      assertThat(ann.get(KEY)).isEqualTo("100");
      Violation notMonotonic =
          violations(parts, 2).stream()
              .map(ReceivedViolation::violation)
              .filter(violation -> violation.getClause() == 1)
              .findFirst()
              .orElseThrow();
      assertThat(roles(notMonotonic)).containsExactly(VersionRole.HOLDS, VersionRole.READ);
      assertChecks(parts, notMonotonic.getId(), "read");
      assertThat(annsClient.metrics().staleReads()).isEqualTo(2);
      assertThat(annsClient.metrics().staleReadsUnstated()).isZero();
      List<String> replayed = parts.replay("no-stale-read", EXAMPLE, folder.resolve("trace.jsonl"));
      assertThat(replayed).hasSize(2);
      for (Violation online : List.of(stale, notMonotonic)) {
        assertThat(replayed)
            .anyMatch(
                line ->
                    line.contains("\"clause\":" + online.getClause())
                        && line.contains(Hlc.format(online.getViolate())));
      }
    }
  }

  private static List<ReceivedViolation> violations(RealParts parts, int count) {
    return await()
        .atMost(BOUND)
        .until(() -> parts.plane().orchestrator().violations(10), found -> found.size() == count);
  }

  private static List<VersionRole> roles(Violation violation) {
    return violation.getWitnesses(0).getValuesList().stream()
        .map(VariableVersion::getRole)
        .toList();
  }

  private void assertChecks(RealParts parts, String id, String role) throws IOException {
    try {
      String file =
          WitnessJson.write(Objects.requireNonNull(parts.plane().orchestrator().witness(id)));
      assertThat(WitnessCheck.check(WitnessJson.read(file, "witness"))).as(file).isEmpty();
      Path changed = folder.resolve("changed.json");
      Files.writeString(changed, file.replace("\"" + role + "\"", "\"seen\""));
      assertThat(parts.run("verify", changed.toString())).isEqualTo(1);
    } catch (RefusedException | WitnessFormatException e) {
      throw new AssertionError(e);
    }
  }
}
