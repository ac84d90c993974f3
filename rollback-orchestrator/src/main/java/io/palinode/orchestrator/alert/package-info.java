/**
 * The destinations of alerts: the console and webhooks.
 *
 * <p>Guarantees: raising an alert never blocks. A slow destination delays no other. Each alert is
 * counted as sent, failed or dropped. Hazards: an alert may arrive twice if a webhook answers too
 * late. An alert is lost if its queue is full.
 */
@NullMarked
package io.palinode.orchestrator.alert;

import org.jspecify.annotations.NullMarked;
