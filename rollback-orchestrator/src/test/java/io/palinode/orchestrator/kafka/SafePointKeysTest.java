package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.ControlKeys;
import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.CoverageStep;
import io.palinode.wire.v1.GapsFound;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.SafePoint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafePointKeysTest {
  private record Keyed(String key, ControlRecord record) {}

  /** An orchestrator that reads the log late, and is restarted. */
  private static final class Writer {
    private ControlKeys keys = new ControlKeys();
    private SafePointKeys safePoints = new SafePointKeys(keys);
    private int read;

    Keyed write(ControlRecord record) {
      byte[] key = record.hasSafePoint() ? safePoints.next() : keys.of(record);
      return new Keyed(new String(key, StandardCharsets.UTF_8), record);
    }

    void read(List<Keyed> log, int to) {
      for (; read < to; read++) {
        Keyed next = log.get(read);
        safePoints.read(next.key().getBytes(StandardCharsets.UTF_8), next.record());
      }
    }

    void restart() {
      keys = new ControlKeys();
      safePoints = new SafePointKeys(keys);
      read = 0;
    }
  }

  /** Two orchestrators race; compaction has read any beginning of the log. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void eachStepIsReadWithTheSafePointThatItHadBefore(long seed) {
    Random random = new Random(seed);
    for (int run = 0; run < 500; run++) {
      List<Keyed> log = log(random);
      int cleanTo = random.nextInt(log.size() + 1);
      assertThat(states(compacted(log, cleanTo)))
          .as("seed=%d run=%d", seed, run)
          .isEqualTo(states(log));
    }
  }

  @Test
  void oneOrchestratorKeepsFewSafePoints() {
    Writer writer = new Writer();
    List<Keyed> log = new ArrayList<>();
    for (int hlc = 1; hlc <= 100_000; hlc++) {
      log.add(writer.write(safePoint(hlc)));
      writer.read(log, Math.max(0, log.size() - 3));
      if (hlc % 10_000 == 0) {
        log.add(writer.write(gap(hlc)));
      }
    }
    List<Keyed> kept = compacted(log, log.size());
    assertThat(kept).hasSizeBetween(21, 60);
  }

  private static List<Keyed> log(Random random) {
    List<Writer> writers = List.of(new Writer(), new Writer());
    List<Keyed> log = new ArrayList<>();
    long hlc = 1_000;
    long epoch = 0;
    for (int i = 0; i < 120; i++) {
      Writer writer = writers.get(random.nextInt(2));
      writer.read(log, writer.read + random.nextInt(log.size() - writer.read + 1));
      int dice = random.nextInt(40);
      hlc += random.nextInt(20);
      if (dice == 0) {
        writer.restart();
      } else if (dice == 1) {
        log.add(writer.write(opened(++epoch)));
      } else if (dice == 2) {
        log.add(writer.write(step(epoch).setResume(Resume.newBuilder().setClock(hlc)).build()));
      } else if (dice == 3) {
        log.add(writer.write(gap(hlc)));
      } else if (dice == 4) {
        log.add(writer.write(asked(hlc)));
      } else if (dice < 8) {
        log.add(writer.write(step(0).setNodeReport(NodeReport.newBuilder()).build()));
      } else {
        log.add(writer.write(safePoint(hlc - random.nextInt(40))));
      }
    }
    return log;
  }

  private static List<Keyed> compacted(List<Keyed> log, int to) {
    Map<String, Integer> last = new HashMap<>();
    for (int i = 0; i < to; i++) {
      last.put(log.get(i).key(), i);
    }
    List<Keyed> left = new ArrayList<>();
    for (int i = 0; i < log.size(); i++) {
      if (i >= to || last.getOrDefault(log.get(i).key(), -1) == i) {
        left.add(log.get(i));
      }
    }
    return left;
  }

  /** The states right after each record that is no safe point and no report, and at the end. */
  private static List<ControlLogState> states(List<Keyed> log) {
    List<ControlLogState> states = new ArrayList<>();
    ControlLogState state = ControlLogState.empty(3);
    for (Keyed keyed : log) {
      state = state.read(keyed.record());
      if (!keyed.record().hasSafePoint() && !keyed.record().hasNodeReport()) {
        states.add(state);
      }
    }
    states.add(state);
    return states;
  }

  private static ControlRecord safePoint(long hlc) {
    return step(0).setSafePoint(SafePoint.newBuilder().setHlc(hlc)).build();
  }

  private static ControlRecord opened(long epoch) {
    return step(epoch).setPlanOpened(PlanOpened.newBuilder().setTarget(1)).build();
  }

  private static ControlRecord gap(long hlc) {
    CoverageLost loss = CoverageLost.newBuilder().setFromHlc(hlc).setToHlc(hlc + 30).build();
    return step(0)
        .setCoverage(CoverageStep.newBuilder().setFound(GapsFound.newBuilder().addGaps(loss)))
        .build();
  }

  private static ControlRecord asked(long hlc) {
    ApprovalAsked asked =
        ApprovalAsked.newBuilder().setNumber(hlc).setPredicate("p").setViolate(hlc - 20).build();
    return step(0).setGate(GateStep.newBuilder().setAsked(asked)).build();
  }

  private static ControlRecord.Builder step(long epoch) {
    return ControlRecord.newBuilder().setEpoch(epoch).setAtMicros(1);
  }
}
