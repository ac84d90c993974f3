/**
 * The destinations of alerts: the console, and URLs that take one of several formats. {@link
 * io.palinode.orchestrator.alert.Format} and {@link io.palinode.orchestrator.alert.OpenAlerts} are
 * pure.
 *
 * <p>Guarantees: raising an alert never blocks. A slow destination delays no other. Each alert is
 * counted as sent, failed or dropped. The end of an alert is sent to where its start was. Hazards:
 * an alert may arrive twice if a destination answers too late, or after a takeover. An alert is
 * lost if its queue is full.
 */
@NullMarked
package io.palinode.orchestrator.alert;

import org.jspecify.annotations.NullMarked;
