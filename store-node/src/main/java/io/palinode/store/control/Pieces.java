package io.palinode.store.control;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;

/** Long lists of messages in pieces that fit into a record. */
public final class Pieces {
  static final int BYTES_MAX = 512 << 10;

  /** Above the tag and length of a list's element. */
  private static final int ELEMENT_OVERHEAD = 8;

  private Pieces() {}

  /**
   * The elements in order, in lists of at most {@code bytesMax} bytes; an element that is longer
   * stands alone. At least one list.
   */
  public static <M extends MessageLite> List<List<M>> of(Iterable<M> elements, int bytesMax) {
    List<List<M>> pieces = new ArrayList<>();
    List<M> piece = new ArrayList<>();
    int bytes = 0;
    for (M element : elements) {
      int size = element.getSerializedSize() + ELEMENT_OVERHEAD;
      if (!piece.isEmpty() && bytes + size > bytesMax) {
        pieces.add(piece);
        piece = new ArrayList<>();
        bytes = 0;
      }
      piece.add(element);
      bytes += size;
    }
    pieces.add(piece);
    return pieces;
  }
}
