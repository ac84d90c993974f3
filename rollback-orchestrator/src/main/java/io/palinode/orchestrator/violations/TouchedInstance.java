package io.palinode.orchestrator.violations;

import com.google.protobuf.ByteString;
import io.palinode.wire.v1.Touched;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import java.util.List;
import java.util.Optional;

/**
 * A violated instance and the keys of its witnesses. Immutable.
 *
 * @param keys distinct, ascending
 */
public record TouchedInstance(String predicate, String binding, List<ByteString> keys) {
  /** A violation has one witness per term, but one term can read many keys. */
  public static final int KEYS_MAX = 64;

  public TouchedInstance {
    keys = List.copyOf(keys);
  }

  /** The touched instance; empty if no witness names a key. */
  public static Optional<TouchedInstance> in(Violation violation) {
    List<ByteString> keys =
        violation.getWitnessesList().stream()
            .flatMap(witness -> witness.getValuesList().stream())
            .map(VariableVersion::getKey)
            .distinct()
            .sorted(ByteString.unsignedLexicographicalComparator())
            .limit(KEYS_MAX)
            .toList();
    return keys.isEmpty()
        ? Optional.empty()
        : Optional.of(new TouchedInstance(violation.getPredicate(), violation.getBinding(), keys));
  }

  public static TouchedInstance of(Touched record) {
    return new TouchedInstance(record.getPredicate(), record.getBinding(), record.getKeysList());
  }

  Touched toProto() {
    return Touched.newBuilder()
        .setPredicate(predicate)
        .setBinding(binding)
        .addAllKeys(keys)
        .build();
  }
}
