// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Discover All Characteristic Descriptors (Vol 3, Part G, 4.7.1) for many characteristics.
///
/// Each request covers the range from the first remaining handle that can be a descriptor to the
/// last. Attributes between those handles are ignored in the response.
struct DiscoverDescriptorsOfAll: Discovery {
    var sweep: HandleSweep
    /// The handles that descriptors can have, in ascending order, without those that the sweep has
    /// passed.
    private var gaps: ArraySlice<ClosedRange<AttributeHandle>>
    private var descriptors: [GATT.Descriptor] = []

    /// Creates a search in these ranges of handles, which are in ascending order.
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

    /// Advances to the next handle that can be a descriptor.
    private mutating func leap() {
        guard let next = sweep.next else { return }
        gaps = gaps.drop { $0.upperBound < next }
        sweep = HandleSweep(from: max(next, gaps.first?.lowerBound ?? next), through: sweep.last)
    }

    func outcome() -> GATT.Outcome { .descriptors(descriptors) }
}
