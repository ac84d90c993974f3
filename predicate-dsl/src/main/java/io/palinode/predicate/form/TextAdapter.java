package io.palinode.predicate.form;

import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.Text;
import jakarta.xml.bind.annotation.adapters.XmlAdapter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Text in XML attributes and elements; {@code place} returns where the element being read began.
 */
final class TextAdapter extends XmlAdapter<String, Text> {
  private final Supplier<Place> place;

  /** For writing, which needs no places. JAXB calls it by reflection. */
  TextAdapter() {
    this(() -> Place.NONE);
  }

  TextAdapter(Supplier<Place> place) {
    this.place = place;
  }

  @Override
  public @Nullable Text unmarshal(@Nullable String value) {
    return value == null ? null : new Text(value, place.get());
  }

  @Override
  public @Nullable String marshal(@Nullable Text text) {
    return text == null ? null : text.value();
  }
}
