package io.palinode.cql.protocol;

import io.palinode.hvc.Hlc;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server's refusal of a request because of a rollback. An error of the native protocol carries no
 * payload, so its message does.
 *
 * @param epoch the one that the server serves; while paused, the next one
 * @param paused whether the server refuses all requests until it serves that epoch
 * @param target the HLC of the restored cut; 0 while paused, or if several rollbacks followed the
 *     request's epoch
 * @param restart whether some rollback since the request's epoch could not restore a good cut
 */
public record Fence(long epoch, boolean paused, long target, boolean restart) {
  private static final Pattern FORM =
      Pattern.compile(
          "palinode-fence/1 epoch=(\\d{1,18}) paused=(true|false) target=(\\d{1,18}(?:\\.\\d{1,4})?)"
              + " restart=(true|false)");

  public static Fence paused(long epoch) {
    return new Fence(epoch, true, 0, false);
  }

  /** The message of the error. */
  public String message() {
    return "palinode-fence/1 epoch=%d paused=%b target=%s restart=%b: %s"
        .formatted(
            epoch,
            paused,
            Hlc.format(target),
            restart,
            paused
                ? "a rollback pauses this table; try again"
                : "the store was rolled back; read again what this request depends on");
  }

  /** The fence of an error's message; null if it has none. */
  public static @Nullable Fence parse(@Nullable String message) {
    Matcher matcher = FORM.matcher(message == null ? "" : message);
    return matcher.find()
        ? new Fence(
            Long.parseLong(matcher.group(1)),
            Boolean.parseBoolean(matcher.group(2)),
            Hlc.parse(matcher.group(3)),
            Boolean.parseBoolean(matcher.group(4)))
        : null;
  }
}
