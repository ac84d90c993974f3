package io.palinode.cli.trace;

import us.bpsm.edn.parser.CollectionBuilder;
import us.bpsm.edn.parser.Parsers;

/** Maps of EDN, as the parser has them; each outermost one has its line at {@link #LINE}. */
final class EdnMaps implements CollectionBuilder.Factory {
  /** Equal to no key of a text. */
  static final Object LINE = new Object();

  private final CollectionBuilder.Factory maps = Parsers.defaultConfiguration().getMapFactory();
  private final EdnText text;
  private int open;

  EdnMaps(EdnText text) {
    this.text = text;
  }

  @Override
  public CollectionBuilder builder() {
    CollectionBuilder map = maps.builder();
    if (open++ == 0) {
      map.add(LINE);
      map.add(text.line());
    }
    return new CollectionBuilder() {
      @Override
      public void add(Object element) {
        map.add(element);
      }

      @Override
      public Object build() {
        open--;
        return map.build();
      }
    };
  }
}
