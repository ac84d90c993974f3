/**
 * The orchestrator's meters. Their names are part of the product: dashboards and rules read them,
 * and a test holds them against the list that the dashboards check in.
 */
@NullMarked
package io.palinode.orchestrator.metrics;

import org.jspecify.annotations.NullMarked;
