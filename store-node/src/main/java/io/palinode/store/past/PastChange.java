package io.palinode.store.past;

import io.palinode.detector.binding.Version;
import java.util.List;

/**
 * One change of a key at this node. An empty list means that the key was absent.
 *
 * @param client the writer; empty if unknown
 */
public record PastChange(
    byte[] key, long hlc, List<Version> before, List<Version> after, String client) {
  PastChange with(List<Version> newAfter) {
    return new PastChange(key, hlc, before, newAfter, client);
  }
}
