package io.palinode.predicate;

/** How one decimal stands to another, with its word in terms and its sign in conditions. */
public enum Order {
  BELOW("below", "<"),
  AT_MOST("atMost", "<="),
  ABOVE("above", ">"),
  AT_LEAST("atLeast", ">=");

  private final String word;
  private final String sign;

  Order(String word, String sign) {
    this.word = word;
    this.sign = sign;
  }

  String word() {
    return word;
  }

  String sign() {
    return sign;
  }

  boolean holds(Decimal left, Decimal right) {
    int compared = left.compareTo(right);
    return switch (this) {
      case BELOW -> compared < 0;
      case AT_MOST -> compared <= 0;
      case ABOVE -> compared > 0;
      case AT_LEAST -> compared >= 0;
    };
  }
}
