/**
 * The predicate model, its XML and YAML forms, and validation.
 *
 * <p>Promises:
 *
 * <ul>
 *   <li>A {@link io.palinode.predicate.Predicate} that exists is valid: the detectors need not
 *       check it again.
 *   <li>Each term determines the binding of all captures, so that a write alone says which instance
 *       it belongs to: the local detectors and the partitions of the candidates' topic rely on it.
 *   <li>{@code parse(toYaml(p))} and {@code parse(toXml(p))} equal p, whatever p is: what is stored
 *       in the predicates' topic is the predicate.
 *   <li>What is not supported is refused with an error that names it and its place. Nothing is
 *       skipped.
 *   <li>A term is evaluated in time bounded by the length of key and value, and never throws:
 *       stores ask while their writers wait.
 * </ul>
 *
 * <p>Hazards: the match of a {@link io.palinode.predicate.Template} whose captures repeat is given
 * up after a number of steps, as is a long value's match of a {@link io.palinode.predicate.Regex},
 * and then a write opens no candidate; both count it. Two templates can split one key differently
 * ({@code {a}_{b}} on {@code 1_2_3}): separators should not appear in what captures take.
 */
@NullMarked
@XmlSchema(namespace = PredicateForm.NAMESPACE, elementFormDefault = XmlNsForm.QUALIFIED)
@XmlAccessorType(XmlAccessType.FIELD)
@XmlJavaTypeAdapter(value = TextAdapter.class, type = Text.class)
package io.palinode.predicate;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlNsForm;
import jakarta.xml.bind.annotation.XmlSchema;
import jakarta.xml.bind.annotation.adapters.XmlJavaTypeAdapter;
import org.jspecify.annotations.NullMarked;
