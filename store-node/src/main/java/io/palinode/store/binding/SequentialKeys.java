package io.palinode.store.binding;

import com.google.protobuf.ByteString;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Sequential;
import java.util.List;

/** Keys of any store that clients are asked to use with R + W > N, until a wall clock. */
public record SequentialKeys(long untilMicros, List<ByteString> keys) {
  public SequentialKeys {
    keys = List.copyOf(keys);
  }

  /** What a record asks for; what it only remembers is over already, and asks for nothing. */
  public static List<SequentialKeys> of(Resume resume) {
    return resume.getSequentialList().stream()
        .filter(span -> span.getKeysCount() > 0)
        .map(SequentialKeys::of)
        .toList();
  }

  /** The same for the same keys, as traces have to be. */
  @Override
  public String toString() {
    return "until %d: %s"
        .formatted(untilMicros, keys.stream().map(ByteString::toStringUtf8).toList());
  }

  private static SequentialKeys of(Sequential span) {
    return new SequentialKeys(span.getUntilMicros(), span.getKeysList());
  }
}
