package io.palinode.monitor.instance;

import com.google.protobuf.ByteString;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.util.List;
import java.util.function.Consumer;

/**
 * Cuts a violation that is too long for a record. Clients select keys, values and clocks, so any of
 * them may be long. Equal violations are cut alike. Pure.
 */
public final class ViolationSize {
  /** Of a violation, without what the record and Kafka put around it. */
  public static final int BYTES_MAX = TopicLayout.VIOLATION_RECORD_BYTES_MAX - 1_024;

  /** Of a value that was cut. */
  static final int VALUE_BYTES_MAX = 128;

  /** In this order, until the violation fits. */
  private static final List<Consumer<Witness.Builder>> CUTS =
      List.of(
          witness -> witness.getValuesBuilderList().forEach(ViolationSize::cutValue),
          // All of them: versions that are named in part would make two episodes look like one.
          witness -> witness.getValuesBuilderList().forEach(v -> v.clearClock().clearTimestampMs()),
          Witness.Builder::clearValues);

  private ViolationSize() {}

  /** Whether it does not fit, even if it was cut. */
  public static boolean isTooLong(Violation violation) {
    return violation.getSerializedSize() > BYTES_MAX;
  }

  /** Returns {@code whole} if it fits. */
  static Violation cut(Violation whole) {
    if (!isTooLong(whole)) {
      return whole;
    }
    Violation.Builder shorter = whole.toBuilder().setWholeBytes(whole.getSerializedSize());
    for (Consumer<Witness.Builder> cut : CUTS) {
      shorter.getWitnessesBuilderList().forEach(cut);
      if (!isTooLong(shorter.build())) {
        break;
      }
    }
    return shorter.build();
  }

  private static void cutValue(VariableVersion.Builder version) {
    ByteString value = version.getValue();
    if (value.size() > VALUE_BYTES_MAX) {
      if (!version.hasValueBytes()) {
        version.setValueBytes(value.size());
      }
      version.setValue(value.substring(0, VALUE_BYTES_MAX));
    }
  }
}
