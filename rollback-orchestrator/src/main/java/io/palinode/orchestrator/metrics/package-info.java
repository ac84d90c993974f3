/**
 * The orchestrator's meters. Dashboards and rules read their names, and a test compares them with
 * the checked-in list.
 */
@NullMarked
package io.palinode.orchestrator.metrics;

import org.jspecify.annotations.NullMarked;
