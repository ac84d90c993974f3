/**
 * The YAML and XML forms of a predicate, and their schemas. {@link
 * io.palinode.predicate.form.Predicates} is the entry.
 *
 * <p>Both readers fill one {@link io.palinode.predicate.form.PredicateForm}; {@code FormReader}
 * checks it and builds the predicate. JAXB maps the XML form.
 */
@NullMarked
@XmlSchema(namespace = PredicateForm.NAMESPACE, elementFormDefault = XmlNsForm.QUALIFIED)
@XmlAccessorType(XmlAccessType.FIELD)
@XmlJavaTypeAdapter(value = TextAdapter.class, type = Text.class)
package io.palinode.predicate.form;

import io.palinode.predicate.text.Text;
import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlNsForm;
import jakarta.xml.bind.annotation.XmlSchema;
import jakarta.xml.bind.annotation.adapters.XmlJavaTypeAdapter;
import org.jspecify.annotations.NullMarked;
