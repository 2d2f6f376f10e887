/** Flight phases of a crew exploration vehicle. The parts that are attached are flags of an object of its own. */
public class CEV {
    private static final int STAGE1 = 0;
    private static final int STAGE2 = 1;
    private static final int ABORT_SYSTEM = 2;
    private static final int CREW_MODULE = 3;
    private static final int SERVICE_MODULE = 4;
    private static final int ASCENT_STAGE = 5;
    private static final int DESCENT_STAGE = 6;
    private static final int DEPARTURE_STAGE = 7;
    private static final int LOWEST_JETTISON = 100_000;

    private final Parts parts;

    public CEV() {
        parts = new Parts();
    }

    public void srbIgnition() {}

    public void loiBurn() {}

    public void stage1Separation() {
        parts.stage1Gone = true;
    }

    public void stage2Separation() {
        parts.stage2Gone = true;
    }

    public void lsamAscentBurn() {
        parts.descent = false;
    }

    public void lsamAscentRendezvous() {
        parts.ascent = false;
    }

    public void failure(int kind) {
        throw new IllegalStateException("failure");
    }

    public void abort(int altitude, boolean controlled) {
        throw new IllegalStateException("abort");
    }

    public void reset(int part) {
        parts.attach(part);
    }

    public void lasJettison(int altitude) {
        assert parts.abortSystem;
        assert altitude >= LOWEST_JETTISON;
        parts.abortSystem = false;
        parts.docked--;
    }

    public void lsamRendezvous() {
        assert !parts.abortSystem;
        parts.ascent = true;
        parts.descent = true;
        parts.departure = true;
        parts.docked += 3;
    }

    public void doEdsSeparation() {
        assert parts.departure;
        parts.departure = false;
        parts.docked--;
    }

    public void doSMSeparation() {
        assert parts.service;
        parts.service = false;
        parts.docked--;
    }

    public void tliBurn() {
        assert parts.departure;
    }

    public void teiBurn() {
        assert !parts.ascent && !parts.descent;
    }

    public void deOrbit() {
        assert !parts.abortSystem && !parts.service && !parts.ascent && !parts.departure;
        parts.atLaunch();
    }

    public void enterOrbitOps(int failure) {
        assert failure != 1;
    }

    public void eiBurn(int inclination, int fuel) {
        if (fuel == 0) {
            throw new IllegalArgumentException("no fuel");
        }
    }

    /** What is attached to the vehicle. */
    private static final class Parts {
        boolean abortSystem;
        boolean crew;
        boolean service;
        boolean ascent;
        boolean descent;
        boolean departure;
        boolean stage1Gone;
        boolean stage2Gone;
        int docked;

        Parts() {
            atLaunch();
        }

        void atLaunch() {
            abortSystem = true;
            crew = true;
            service = true;
            ascent = false;
            descent = false;
            departure = false;
            stage1Gone = false;
            stage2Gone = false;
            docked = 3;
        }

        void attach(int part) {
            if (part == ABORT_SYSTEM) {
                abortSystem = true;
                docked++;
            } else if (part == STAGE1) {
                stage1Gone = false;
            } else if (part == STAGE2) {
                stage2Gone = false;
            } else if (part == CREW_MODULE) {
                crew = true;
                docked++;
            } else if (part == SERVICE_MODULE) {
                service = true;
            } else if (part == ASCENT_STAGE) {
                ascent = false;
                docked--;
            } else if (part == DESCENT_STAGE) {
                descent = false;
                docked--;
            } else if (part == DEPARTURE_STAGE) {
                departure = false;
                docked--;
            }
        }
    }
}
