// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Discover All Characteristic Descriptors (Vol 3, Part G, 4.7.1) of many characteristics: each
/// request asks from the first place where a descriptor can still be to the last, and what the
/// answer tells of the attributes between is passed over.
struct DiscoverDescriptorsOfAll: Discovery {
    var sweep: HandleSweep
    /// Where descriptors can be, in the order of handles; those that the sweep has passed are gone.
    private var gaps: ArraySlice<ClosedRange<AttributeHandle>>
    private var descriptors: [GATT.Descriptor] = []

    /// Starts a search in these gaps, which lie one after the other.
    init(gaps: [ClosedRange<AttributeHandle>]) {
        self.gaps = gaps[...]
        sweep = HandleSweep(
            from: gaps.first?.lowerBound ?? .last,
            through: gaps.last?.upperBound ?? .first
        )
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        .findInformationRequest(.init(start: start, end: sweep.last))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .findInformationResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries {
            try sweep.pass(entry.handle)
            gaps = gaps.drop { $0.upperBound < entry.handle }
            guard gaps.first?.contains(entry.handle) == true else { continue }
            try descriptors.keep(GATT.Descriptor(uuid: entry.uuid, handle: entry.handle))
        }
        leap()
    }

    /// Goes on where the next descriptor can be.
    private mutating func leap() {
        guard let next = sweep.next else { return }
        gaps = gaps.drop { $0.upperBound < next }
        sweep = HandleSweep(from: max(next, gaps.first?.lowerBound ?? next), through: sweep.last)
    }

    func outcome() -> GATT.Outcome { .descriptors(descriptors) }
}
