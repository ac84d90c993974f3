package io.palinode.detector.binding;

import io.palinode.hvc.Hvc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One committed write of a node.
 *
 * @param siblings all versions of the key after the write; empty after a delete
 * @param written the version that was written; null for a delete
 * @param before the node's HVC right before the write
 * @param after the node's HVC of the write; {@code after.own()} is the write's time in the
 *     window-log
 * @param writer the client's id, empty when unknown
 * @param origin the node that accepted the version first (this node, unless it is a replica copy);
 *     null when unknown
 * @param unseen what the write superseded without its writer having seen it; null if nothing, or if
 *     that is not known
 */
public record WriteEvent(
    StoreKey key,
    List<Version> siblings,
    @Nullable Version written,
    Hvc before,
    Hvc after,
    String writer,
    @Nullable Integer origin,
    @Nullable Unseen unseen) {

  /** Of a writer that does not state what it has seen. */
  public WriteEvent(
      StoreKey key,
      List<Version> siblings,
      @Nullable Version written,
      Hvc before,
      Hvc after,
      String writer,
      @Nullable Integer origin) {
    this(key, siblings, written, before, after, writer, origin, null);
  }
}
