package io.palinode.detector.binding;

/**
 * A version that a session had written or read before it read another one, which this one
 * supersedes.
 *
 * @param version without a value
 * @param isWritten whether the session wrote it; false: it read it
 */
public record SeenBefore(Version version, boolean isWritten) implements Evidence {
  @Override
  public SeenBefore beginning(int bytesMax) {
    return this;
  }

  @Override
  public long bytes() {
    return version.bytes();
  }
}
