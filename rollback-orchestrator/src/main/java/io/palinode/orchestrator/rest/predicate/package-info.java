/** What the API answers about predicates that are not applied. */
@NullMarked
package io.palinode.orchestrator.rest.predicate;

import org.jspecify.annotations.NullMarked;
