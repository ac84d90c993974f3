package io.palinode.orchestrator.rest.past;

import io.palinode.orchestrator.request.RefusedException;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the store nodes as of earlier times. Methods wait for the nodes, up to a minute, and throw
 * {@link RefusedException} with the reason if they do not answer, or not for that time.
 */
public interface PastBackend {
  /** A page has at most so many keys. */
  int KEYS_MAX = 1_000;

  /** A page ends with the key with which its keys and values have so many characters. */
  long CHARS_MAX = 4 << 20;

  /**
   * The times that can be read at a node now.
   *
   * @param from HLC; null: the node did not answer
   * @param failure why not; null: it did
   */
  record Reach(int node, @Nullable String from, @Nullable String failure) {}

  /**
   * A key as of a time.
   *
   * @param at the HLC that was read: the time that was asked for, or the last step before it that
   *     the window-logs kept
   * @param value null: the key was absent
   */
  record Value(String store, String key, String at, @Nullable String value) {}

  /**
   * Keys that differ between two times, in the order of keys.
   *
   * @param from the HLC that was read, as in {@link Value}
   * @param complete false: there are more
   */
  record Differences(
      String store, String from, String to, boolean complete, List<Difference> keys) {}

  /**
   * A key with both values; null: absent.
   *
   * @param nodes where it differs
   */
  record Difference(
      String key, @Nullable String before, @Nullable String after, List<Integer> nodes) {}

  /** A history has at most so many changes at one node. */
  int CHANGES_MAX = 10_000;

  /** What is asked about the writes to a key. */
  record HistoryQuestion(String store, String key, Span span, int limit) {}

  /**
   * A span of HLCs: after {@code from} and up to {@code to}.
   *
   * @param from null: as far back as all nodes reach
   * @param before only writes before it, to page
   */
  record Span(@Nullable Long from, long to, long before) {}

  /**
   * A page of the writes to a key, the latest first.
   *
   * @param before names the next page, of earlier writes; null: there are none
   * @param missing nodes that did not answer, so that writes may be missing
   */
  record History(
      String store,
      String key,
      String from,
      String to,
      @Nullable String before,
      List<KeyWrite> writes,
      List<Missing> missing) {}

  /**
   * A write to a key.
   *
   * @param at when the first of its nodes accepted it
   * @param value null: a delete
   * @param client null: it is not known
   * @param state {@code present}, {@code replaced} or {@code undone}, at the end of the span
   * @param undoneBy the rollback; null: none discarded it
   */
  record KeyWrite(
      String at,
      long epoch,
      @Nullable String value,
      @Nullable String client,
      List<Integer> nodes,
      String state,
      @Nullable Long undoneBy) {}

  /** A node that did not answer. */
  record Missing(int node, String reason) {}

  /** Of each node. */
  List<Reach> reach() throws RefusedException;

  Value value(String store, String key, long hlc) throws RefusedException;

  /**
   * @param pattern of keys: {@code *} stands for any text, {@code ?} for one character
   */
  Differences differences(String store, long from, long to, String pattern) throws RefusedException;

  /**
   * Also throws {@link RefusedException} if a node has more than {@link #CHANGES_MAX} changes of
   * the key in the span.
   *
   * @param rollbacks by the HLC at which the history begins
   */
  History history(HistoryQuestion question, LongFunction<List<RollbackSpan>> rollbacks)
      throws RefusedException;
}
