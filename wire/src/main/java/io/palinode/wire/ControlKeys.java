package io.palinode.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.wire.v1.ControlRecord;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The Kafka keys of control records. Compaction keeps the last record of each key (ADR 0042).
 *
 * <p>A record that a later reader needs has a key that no other record has. A record that only
 * counts while it is new has the key of its predecessor. Thread-safe.
 */
public final class ControlKeys {
  private final String writer = UUID.randomUUID().toString();
  private final AtomicLong made = new AtomicLong();

  public byte[] of(ControlRecord record) {
    return switch (record.getStepCase()) {
      case NODE_REPORT -> shared("report", record.getNodeReport().getNode());
      case EFFECT ->
          switch (record.getEffect().getStepCase()) {
            case REPORTED -> shared("effect", record.getEffect().getReported().getNode());
            case ACCESSED ->
                shared("accessed", record.getEffect().getAccessed().getAccessed().getNode());
            case ASKED, STEP_NOT_SET -> "effect".getBytes(UTF_8);
          };
      case SNAPSHOT ->
          record.getSnapshot().hasProgress()
              ? shared("progress", record.getSnapshot().getProgress().getNode())
              : unique();
      case PLAN_OPENED,
          PAUSE,
          PAUSED,
          RESTORE,
          RESTORED,
          CONVERGE,
          CONTRIBUTION,
          CONVERGED,
          RESUME,
          HALTED,
          SAFE_POINT,
          NODE_JOINED,
          RETRY,
          ABANDON,
          WATCHING,
          CANCEL,
          GATE,
          NAMED,
          ACCESSED,
          DUTY_FAILED,
          COVERAGE,
          SERVING,
          STEP_NOT_SET ->
          unique();
    };
  }

  /** A key that no other record has. */
  public byte[] unique() {
    return (writer + "-" + made.incrementAndGet()).getBytes(UTF_8);
  }

  private static byte[] shared(String kind, int node) {
    return (kind + "/" + node).getBytes(UTF_8);
  }
}
