// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// The options of one scan.
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

/// A running scan: its options, and the discoveries that it has already reported.
struct ScanSession: Sendable {
    let identifier: RequestIdentifier
    let request: ScanRequest
    var advertisementFilter: AdvertisementFilter

    init(identifier: RequestIdentifier, request: ScanRequest) {
        self.identifier = identifier
        self.request = request
        advertisementFilter = AdvertisementFilter(
            filter: request.filter,
            allowsDuplicates: request.reportsDuplicates
        )
    }
}

extension [ScanParameters] {
    /// The parameters of one scan of the controller that satisfies all of these, or `nil` if there
    /// are none.
    ///
    /// The scan is active if any of them is. It uses every PHY of any of them and the largest ratio
    /// of window to interval. It reports all duplicates if one of them requires duplicates, and
    /// uses the public address only if all of them do.
    var combined: ScanParameters? {
        guard var combined = first else { return nil }
        for parameters in dropFirst() {
            combined.isActive = combined.isActive || parameters.isActive
            combined.filtersDuplicates = combined.filtersDuplicates && parameters.filtersDuplicates
            combined.phys.formUnion(parameters.phys)
            combined.usesPublicAddress = combined.usesPublicAddress && parameters.usesPublicAddress
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
    /// The parameters of the controller's scan for this session. A scan that reports every
    /// advertisement needs a controller that does not filter duplicates.
    var parameters: ScanParameters {
        var parameters = request.parameters
        if request.reportsDuplicates { parameters.filtersDuplicates = false }
        return parameters
    }
}
