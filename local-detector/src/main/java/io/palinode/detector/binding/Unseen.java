package io.palinode.detector.binding;

import java.util.List;

/**
 * The versions that a put superseded although its writer had not seen them, as evidence.
 *
 * @param lost these versions, not all if there are many; at least one
 * @param seen the clocks of the versions of the key that the writer had seen, in the store's bytes
 *     without the timestamp; none of them equals or supersedes a lost one
 */
public record Unseen(List<Version> lost, List<byte[]> seen) implements Evidence {
  public Unseen {
    lost = List.copyOf(lost);
    seen = List.copyOf(seen);
    if (lost.isEmpty()) {
      throw new IllegalArgumentException("a lost update needs a version that was lost: lost=[]");
    }
  }

  @Override
  public Unseen beginning(int bytesMax) {
    return new Unseen(lost.stream().map(version -> version.beginning(bytesMax)).toList(), seen);
  }

  @Override
  public long bytes() {
    return lost.stream().mapToLong(Version::bytes).sum()
        + seen.stream().mapToLong(clock -> clock.length).sum();
  }
}
