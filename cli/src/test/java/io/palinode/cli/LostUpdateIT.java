package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.detection.witness.WitnessCheck;
import io.palinode.detection.witness.WitnessFormatException;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole way with R = W = 1: nodes, Kafka, the job and the orchestrator. */
class LostUpdateIT {
  private static final Path EXAMPLE = Path.of("../examples/balances/no-lost-update.yaml");

  @TempDir private Path folder;

  @Test
  void anUpdateThatItsWriterHadNotSeenIsReportedAndTheStoreGoesBackToIt() throws IOException {
    try (RealParts parts = RealParts.start(folder);
        StoreClient annsClient = client(parts, "ann", 100);
        StoreClient bobsClient = client(parts, "bob", 100);
        StoreClient silentClient = client(parts, "silent", 0)) {
      Store ann = annsClient.store(STORE);
      Store bob = bobsClient.store(STORE);
      Store silent = silentClient.store(STORE);
      parts.plane().apply(Predicates.parse(Files.readString(EXAMPLE), EXAMPLE.toString()));

      for (int i = 0; i < 3; i++) {
        for (Store store : List.of(ann, bob)) {
          String before = store.get("balance_read");
          store.put("balance_read", (before == null ? "" : before) + "+");
        }
      }
      silent.put("balance_silent", "1");
      silentClient.store(STORE).put("balance_silent", "2");
      ann.put("balance_7", "100");
      assertThat(bob.get("balance_7")).isEqualTo("100");
      parts.awaitEverywhere("balance_7", "100");
      bob.put("balance_7", "150");
      ann.put("balance_7", "90");

      Rollback rollback =
          await().atMost(BOUND).until(parts::ended, found -> !found.isEmpty()).get(0);
      assertThat(rollback.state()).isEqualTo(Rollback.State.RESUMED);
      assertThat(parts.versions("balance_7")).as("the update of bob").containsOnly("150");
      assertThat(parts.versions("balance_read")).containsOnly("++++++");
      assertThatThrownBy(() -> ann.get("balance_7")).isInstanceOf(RolledBackException.class);
      List<ReceivedViolation> found = parts.plane().orchestrator().violations(10);
      assertThat(found).as("a put after a read, and a silent client, raise none").hasSize(1);
      ann.put("balance_7", "90");
      await().atMost(BOUND).until(() -> parts.ended().size() == 2);
      assertThatThrownBy(() -> ann.get("balance_7")).isInstanceOf(RolledBackException.class);
      assertThat(ann.get("balance_7")).as("also without a read after that").isEqualTo("150");
      ann.put("balance_7", "140");
      parts.awaitEverywhere("balance_7", "140");
      assertThat(parts.plane().orchestrator().violations(10)).hasSize(2);

      Violation violation = found.get(0).violation();
      assertThat(violation.getBinding()).isEqualTo("a=7");
      assertThat(violation.getGrade()).isEqualTo(ViolationGrade.DEFINITE);
      assertThat(violation.getWitnesses(0).getWriter()).isEqualTo("ann");
      assertThat(values(violation, VersionRole.HOLDS)).containsExactly("90");
      assertThat(values(violation, VersionRole.LOST)).containsExactly("150");
      assertThat(values(violation, VersionRole.SEEN)).hasSize(1);
      assertChecks(parts, violation.getId());
      assertThat(parts.palinode("describe", "violation", violation.getId())).isZero();
      assertThat(parts.out()).contains("superseded unseen: 150");
      assertThat(parts.replay("no-lost-update", EXAMPLE, folder.resolve("trace.jsonl")))
          .hasSize(2)
          .allMatch(line -> line.contains("node ") && line.contains(" accepted a put "))
          .anyMatch(line -> line.contains(Hlc.format(violation.getViolate())));
    }
  }

  private static StoreClient client(RealParts parts, String id, int seenKeys) {
    return StoreClient.connect(
        ClientConfig.of(parts.cluster().addresses(), id).withSeenKeys(seenKeys));
  }

  private static List<String> values(Violation violation, VersionRole role) {
    return violation.getWitnesses(0).getValuesList().stream()
        .filter(version -> version.getRole() == role)
        .map(VariableVersion::getValue)
        .map(value -> value.toStringUtf8())
        .toList();
  }

  private void assertChecks(RealParts parts, String id) throws IOException {
    try {
      String file =
          WitnessJson.write(Objects.requireNonNull(parts.plane().orchestrator().witness(id)));
      assertThat(WitnessCheck.check(WitnessJson.read(file, "witness"))).as(file).isEmpty();
      Path changed = folder.resolve("changed.json");
      Files.writeString(changed, file.replace("\"lost\"", "\"seen\""));
      assertThat(parts.run("verify", changed.toString())).isEqualTo(1);
    } catch (RefusedException | WitnessFormatException e) {
      throw new AssertionError(e);
    }
  }
}
