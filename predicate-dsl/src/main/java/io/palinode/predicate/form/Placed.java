package io.palinode.predicate.form;

import io.palinode.predicate.text.Place;
import jakarta.xml.bind.annotation.XmlTransient;

/** An element or mapping of a form, and where it begins. */
@XmlTransient
abstract class Placed {
  @XmlTransient Place place = Place.NONE;

  public final Place place() {
    return place;
  }

  /** Fills what JAXB cannot map. Called after the element was read from XML. */
  void afterRead() {}

  /** The inverse of {@link #afterRead}. Called before the element is written as XML. */
  void beforeWrite() {}
}
