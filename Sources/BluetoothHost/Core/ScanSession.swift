// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP

/// What one reader wants of scanning.
package struct ScanRequest: Sendable {
    let filter: ScanFilter
    let parameters: ScanParameters
    let reportsDuplicates: Bool

    package init(filter: ScanFilter, parameters: ScanParameters, reportsDuplicates: Bool) {
        self.filter = filter
        self.parameters = parameters
        self.reportsDuplicates = reportsDuplicates
    }
}

/// One reader's scan while it runs: what it wants, and what it has been told already.
struct ScanSession: Sendable {
    let identifier: RequestIdentifier
    let request: ScanRequest
    var sieve: AdvertisementSieve

    init(identifier: RequestIdentifier, request: ScanRequest) {
        self.identifier = identifier
        self.request = request
        sieve = AdvertisementSieve(
            filter: request.filter,
            allowsDuplicates: request.reportsDuplicates
        )
    }
}

extension [ScanParameters] {
    /// One way of listening that satisfies everybody; nil if there is nobody to satisfy.
    ///
    /// Active if any wants to be, with every PHY that any wants, the longest share of the radio,
    /// and all duplicates as soon as one wants them.
    var combined: ScanParameters? {
        guard var combined = first else { return nil }
        for parameters in dropFirst() {
            combined.isActive = combined.isActive || parameters.isActive
            combined.filtersDuplicates = combined.filtersDuplicates && parameters.filtersDuplicates
            combined.phys.formUnion(parameters.phys)
            if parameters.window / parameters.interval > combined.window / combined.interval {
                combined.window = parameters.window
                combined.interval = parameters.interval
            }
            combined.duplicateFilterRestart = [
                combined.duplicateFilterRestart, parameters.duplicateFilterRestart,
            ].compactMap { $0 }.min()
        }
        return combined
    }
}

extension ScanSession {
    /// How the controller must listen for this session. A reader who wants every sighting needs a
    /// controller that leaves none out.
    var parameters: ScanParameters {
        var parameters = request.parameters
        if request.reportsDuplicates { parameters.filtersDuplicates = false }
        return parameters
    }
}
