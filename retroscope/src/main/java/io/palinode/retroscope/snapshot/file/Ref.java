package io.palinode.retroscope.snapshot.file;

import java.util.regex.Pattern;

/**
 * A snapshot by its name, and the taking of it that is meant: a rolling one has several.
 *
 * @param id names a folder, so it is a letter and then letters, digits, {@code -} and {@code _}
 * @param number grows from taking to taking in a cluster; 0: no snapshot
 */
public record Ref(String id, long number) {
  /** No snapshot. */
  public static final Ref NONE = new Ref("", 0);

  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9_-]{0,62}");

  public Ref {
    if (number != 0) {
      requireId(id);
    }
  }

  /** Throws {@link SnapshotException} for what cannot name a snapshot. */
  public static String requireId(String id) {
    if (!isId(id)) {
      throw new SnapshotException(
          "the name of a snapshot must be a letter a-z, then up to 62 of a-z, 0-9, - and _: '%s'"
              .formatted(id));
    }
    return id;
  }

  static boolean isId(String name) {
    return ID.matcher(name).matches();
  }

  public boolean isNone() {
    return number == 0;
  }
}
