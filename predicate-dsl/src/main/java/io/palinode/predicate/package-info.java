/**
 * The predicate model: what a valid predicate means. {@code form} reads and writes it.
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
 * <p>Hazards: the match of a {@link io.palinode.predicate.template.Template} whose captures repeat
 * is given up after a number of steps, as is a long value's match of a {@link
 * io.palinode.predicate.template.Regex}, and then a write opens no candidate; both count it. Two
 * templates can split one key differently ({@code {a}_{b}} on {@code 1_2_3}): separators should not
 * appear in what captures take.
 */
@NullMarked
package io.palinode.predicate;

import org.jspecify.annotations.NullMarked;
