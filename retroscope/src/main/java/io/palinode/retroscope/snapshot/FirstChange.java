package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.WindowLog;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Looks for the first change of one key; what it had before it is what it had until then. */
final class FirstChange implements WindowLog.ChangeVisitor {
  private final byte[] wanted;
  private boolean found;
  private byte @Nullable [] old;

  FirstChange(byte[] wanted) {
    this.wanted = wanted;
  }

  @Override
  public void visit(long hlc, byte[] key, byte @Nullable [] before) {
    if (!found && Arrays.equals(key, wanted)) {
      found = true;
      old = before;
    }
  }

  boolean isFound() {
    return found;
  }

  byte @Nullable [] old() {
    return old;
  }
}
