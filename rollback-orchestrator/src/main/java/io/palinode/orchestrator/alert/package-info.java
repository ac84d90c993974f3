/**
 * Where alerts go: the console and webhooks.
 *
 * <p>Guarantees: raising an alert never blocks; a destination that is slow or gone delays no other;
 * each alert is counted as sent, failed or dropped. Hazards: an alert may arrive twice (a webhook
 * that answered too late is asked again) or, when a queue is full, not at all.
 */
@NullMarked
package io.palinode.orchestrator.alert;

import org.jspecify.annotations.NullMarked;
