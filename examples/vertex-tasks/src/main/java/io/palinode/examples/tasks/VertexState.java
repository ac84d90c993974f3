package io.palinode.examples.tasks;

/**
 * A vertex after so many tasks. As text: {@code 3 asks 7}.
 *
 * @param round the number of tasks
 */
public record VertexState(int round, String value) {
  /** Throws {@link IllegalArgumentException} for any other text. */
  static VertexState parse(String text) {
    int space = text.indexOf(' ');
    if (space < 0) {
      throw new IllegalArgumentException("a state must be a round and a value: '" + text + "'");
    }
    return new VertexState(Integer.parseInt(text.substring(0, space)), text.substring(space + 1));
  }

  @Override
  public String toString() {
    return round + " " + value;
  }
}
