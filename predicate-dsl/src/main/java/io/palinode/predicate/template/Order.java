package io.palinode.predicate.template;

/** How one decimal stands to another, with its word in terms and its sign in conditions. */
public enum Order {
  BELOW("below", "<", "below"),
  AT_MOST("atMost", "<=", "not above"),
  ABOVE("above", ">", "above"),
  AT_LEAST("atLeast", ">=", "not below");

  private final String word;
  private final String sign;
  private final String words;

  Order(String word, String sign, String words) {
    this.word = word;
    this.sign = sign;
    this.words = words;
  }

  public String word() {
    return word;
  }

  public String sign() {
    return sign;
  }

  /** For people. */
  public String words() {
    return words;
  }

  public boolean holds(Decimal left, Decimal right) {
    int compared = left.compareTo(right);
    return switch (this) {
      case BELOW -> compared < 0;
      case AT_MOST -> compared <= 0;
      case ABOVE -> compared > 0;
      case AT_LEAST -> compared >= 0;
    };
  }
}
